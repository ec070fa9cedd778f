import { expect, it } from "vitest";
import { shortIds } from "./session-table.ts";

it("a printed id is unique among all sessions, not only among the shown rows", () => {
  const shorten = shortIds(["01a1dce3-a9e9", "01a1dce3-b000", "5cbe954d-0000"]);
  expect(["01a1dce3-a9e9", "5cbe954d-0000"].map(shorten)).toEqual(["01a1dce3-a", "5cbe954d"]);
  expect(shorten("7777777777-of-another-machine"), "not known to be alone").toBe("7777777777-of-another-machine");
});
