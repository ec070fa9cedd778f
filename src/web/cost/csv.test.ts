import { expect, it } from "vitest";
import type { CostBreakdown } from "../../core/cost.ts";
import { csvOf } from "./csv.ts";

it("writes names that stay names", () => {
  const row = { key: '=HYPERLINK("x")', totalUsd: 1.5, kind: "computed", requestCount: 2 } as CostBreakdown;
  expect(csvOf("model", [row]).split("\n")[1]).toMatch(/^"'=HYPERLINK\(""x""\)",1\.5,computed,2,/);
});
