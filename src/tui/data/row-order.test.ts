import { expect, it } from "vitest";
import { NO_FILTER, shownRows } from "./row-order.ts";
import type { Row } from "./row.ts";

const row = (key: string, more: Partial<Row>): Row => ({
  key,
  kind: "dead",
  name: key,
  agent: "sh",
  cwd: "/",
  status: "offline",
  message: "",
  createdMs: 0,
  updatedMs: 0,
  others: [],
  team: [],
  unread: false,
  ...more,
});
const keys = (rows: readonly Row[]): string[] => rows.map(({ key }) => key);

it("the error filter shows sessions in an error and those that ended in one", () => {
  const rows = [
    row("well", {}),
    row("failed", { hasFailed: true }),
    row("broken", { kind: "live", status: "error" }),
    row("fine", { kind: "live", status: "idle" }),
  ];
  expect(keys(shownRows(rows, { ...NO_FILTER, status: "error" }, "name"))).toEqual(["broken", "failed"]);
});

it("the longest and the most expensive sessions come first; unknown costs last", () => {
  const cost = (totalUsd: number): Partial<Row> => ({ cost: { totalUsd, inputTokens: 1, outputTokens: 1 } });
  const rows = [
    row("short", { updatedMs: 5, createdMs: 4, ...cost(1) }),
    row("long", { updatedMs: 3, createdMs: 1 }),
    row("longest", { updatedMs: 4, createdMs: 0, ...cost(2) }),
  ];
  expect(keys(shownRows(rows, NO_FILTER, "duration"))).toEqual(["longest", "long", "short"]);
  expect(keys(shownRows(rows, NO_FILTER, "cost"))).toEqual(["longest", "short", "long"]);
});
