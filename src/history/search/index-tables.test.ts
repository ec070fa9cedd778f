import { expect, it } from "vitest";
import { SEARCH_TABLES } from "./index-tables.ts";

it("a new Node or a new version of amux does not discard the index", () => {
  expect(SEARCH_TABLES.version).toMatch(/^\d+$/);
});
