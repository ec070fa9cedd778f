/** Our arithmetic against the `total_cost_usd` that Claude Code 2.x printed for the same tokens. */
import { expect, test } from "vitest";
import type { TokenCounts } from "../core/cost.ts";
import { priceUsage } from "./price-request.ts";

const RECORDED_ON = Date.parse("2026-11-15");

function nanoUsd(model: string, [input, output, cached, cacheWrite, cacheWrite1h]: Counts): number {
  const tokens: TokenCounts = { input, output, cached, cacheWrite, cacheWrite1h, thinking: 0 };
  const price = priceUsage({ model, at: RECORDED_ON, tokens });
  expect(price.kind).toBe("computed");
  return price.nanoUsd;
}

/** Input, output, cache reads, cache writes, and the 1-hour part of the writes. */
type Counts = [number, number, number, number, number];

const OPUS = "claude-opus-5-5";

test.each<[string, number, [string, Counts][]]>([
  ["c-qa: 1-hour cache writes", 0.035616, [["claude-sonnet-5-5", [1203, 41, 0, 8200, 8200]]]],
  ["c-tools: three runs", 0.1162832, [[OPUS, [46, 540, 111_921, 16_583, 0]]]],
  ["c-fork: what was added after the fork", 0.1167582 - 0.1075074, [[OPUS, [14, 76, 32_999, 215, 0]]]],
  [
    "c-sub: main thread and sub-agent",
    0.096646,
    [
      [OPUS, [11, 114, 14_100, 14_360, 0]],
      [OPUS, [423, 57, 3100, 3250, 0]],
    ],
  ],
  ["c-big", 0.369712, [[OPUS, [13, 113, 12_000, 73_000, 0]]]],
  ["c-err: failed requests are not billed", 0.062944, [[OPUS, [24, 96, 22_140, 11_300, 0]]]],
  ["c-models, first run", 0.01944, [["claude-sonnet-5-5", [900, 14, 0, 7000, 0]]]],
  ["c-models, second run", 0.020238 - 0.01944, [["claude-haiku-5-5", [7950, 6, 0, 0, 0]]]],
  ["c-models, third run", 0.061086 - 0.020238, [[OPUS, [12, 15, 0, 8100, 0]]]],
])("%s", (_scenario, reportedUsd, requests) => {
  const computed = requests.reduce((sum, [model, counts]) => sum + nanoUsd(model, counts), 0);
  expect(computed).toBe(Math.round(reportedUsd * 1e9));
});

test("requests priced one by one add up to the reported total", () => {
  // The c-tools scenario, request by request from its transcript.
  const requests: Counts[] = [
    [9, 118, 0, 15_230, 0],
    [4, 143, 15_230, 410, 0],
    [6, 77, 15_640, 233, 0],
    [5, 21, 15_873, 190, 0],
    [7, 96, 16_063, 88, 0],
    [3, 11, 16_151, 301, 0],
    [8, 55, 16_452, 60, 0],
    [4, 19, 16_512, 71, 0],
  ];
  const sum = requests.reduce((total, counts) => total + nanoUsd(OPUS, counts), 0);
  expect(sum).toBe(116_283_200);
});
