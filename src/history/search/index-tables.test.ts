import { expect, it } from "vitest";
import { SESSION_TABLES } from "../cache/tables.ts";
import { SEARCH_TABLES } from "./index-tables.ts";

it.each([SEARCH_TABLES, SESSION_TABLES])(
  "a new Node or a new version of amux does not discard $name",
  ({ version }) => {
    expect(version).toMatch(/^\d+$/);
  },
);
