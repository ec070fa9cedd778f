import { expect, it } from "vitest";
import type { Wire } from "../../client/daemon-api.ts";
import type { CostBreakdown, CostRequest } from "../../core/cost.ts";
import { csvOf, requestsCsv } from "./csv.ts";

it("keeps a spreadsheet from running names as formulas", () => {
  const row = { key: '=HYPERLINK("x")', totalUsd: 1.5, kind: "computed", requestCount: 2 } as CostBreakdown;
  expect(csvOf("model", [row]).split("\n")[1]).toMatch(/^"'=HYPERLINK\(""x""\)",1\.5,computed,2,/);
});

it("leaves unknown values empty", () => {
  const row = { key: "x", totalUsd: 0, kind: "unpriced" } as CostBreakdown;
  expect(csvOf("model", [row]).split("\n")[1]).toMatch(/^x,,unpriced,/);
  const request = { agent: "pi", session: "pi:1", kind: "unknown", usd: 0, inputTokens: 5 } as Wire<CostRequest>;
  expect(requestsCsv([request]).split("\n")[1]).toMatch(/^,pi,pi:1,,,unknown,,5,/);
});
