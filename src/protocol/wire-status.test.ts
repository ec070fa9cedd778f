import { expect, it } from "vitest";
import { reportOf, statusOf } from "./wire-status.ts";

it.each([
  [{ label: "waiting", working: false }, "waiting"],
  [{ label: "Permission", working: false }, "permission"],
  [{ label: "waiting", working: true }, "working"],
  [{ label: "waiting for the tests", working: false }, "idle"],
  [{ label: "no credit", working: false, error: true }, "error"],
])("a plain status %j is %s", (status, state) => {
  expect(reportOf(status).state).toBe(state);
});

it.each([
  [
    { state: "working", message: "141 of 142" },
    { label: "141 of 142", working: true },
  ],
  [
    { state: "working", label: "tests", message: "141 of 142" },
    { label: "tests", working: true },
  ],
  [{ state: "working" }, { label: "", working: true }],
  [{ state: "permission" }, { label: "needs permission", working: false }],
  [{ state: "done", message: "All is well." }, null],
] as const)("of a report %j every list shows %j", (report, status) => {
  expect(statusOf({ ...report, source: "agent" })).toEqual(status);
});
