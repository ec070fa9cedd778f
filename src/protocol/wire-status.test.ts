import { expect, it } from "vitest";
import { reportOf } from "./wire-status.ts";

it.each([
  [{ label: "waiting", working: false }, "waiting"],
  [{ label: "Permission", working: false }, "permission"],
  [{ label: "waiting", working: true }, "working"],
  [{ label: "waiting for the tests", working: false }, "idle"],
  [{ label: "no credit", working: false, error: true }, "error"],
])("a plain status %j is %s", (status, state) => {
  expect(reportOf(status).state).toBe(state);
});
