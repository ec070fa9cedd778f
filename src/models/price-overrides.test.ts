import { expect, test } from "vitest";
import { AgentMuxError } from "../core/errors.ts";
import { parsePriceOverrides } from "./price-overrides.ts";

test("reads one price or a history, in any order", () => {
  const later = {
    from: "2027-01-01",
    input: 4,
    output: 20,
    cacheRead: 0.4,
    cacheWrite: 5,
    cacheWrite1h: 8,
    webSearch: 10,
    tiers: [
      { above: 500_000, input: 12, output: 40 },
      { above: 200_000, input: 8, output: 30 },
    ],
    daily: [{ start: "16:30", end: "00:30", input: 2, output: 10 }],
    multipliers: { fast: 2 },
  };
  const parsed = parsePriceOverrides({ one: { input: 1, output: 4 }, many: [later, { input: 5, output: 25 }] });
  expect(parsed.get("one")).toEqual([{ input: 1, output: 4 }]);
  expect(parsed.get("many")).toEqual([
    { input: 5, output: 25 },
    { ...later, tiers: later.tiers.toReversed() },
  ]);
});

test.each<[unknown, string]>([
  [[], "the file must be an object from model id to prices"],
  [{ m: 3 }, "m must be an object"],
  [{ m: [] }, "m has no prices"],
  [{ m: { output: 1 } }, "m.input must be a number of 0 or more"],
  [{ m: { input: "1", output: 1 } }, "m.input must be a number of 0 or more"],
  [{ m: { input: 1, output: -1 } }, "m.output must be a number of 0 or more"],
  [{ m: { input: 1, output: 1, cache_read: 1 } }, "m.cache_read is not a field of a price"],
  [{ m: { input: 1, output: 1, cacheRead: null } }, "m.cacheRead must be a number of 0 or more"],
  [{ m: [{ input: 1, output: 1, from: "soon" }] }, 'm[0].from must be a date such as "2026-03-13"'],
  [{ m: [{ input: 1, output: 1, from: "2026-13-01" }] }, 'm[0].from must be a date such as "2026-03-13"'],
  [{ m: { input: 1, output: 1, tiers: {} } }, "m.tiers must be a list"],
  [{ m: { input: 1, output: 1, tiers: [{ input: 1, output: 1 }] } }, "m.tiers[0].above must be a number of 0 or more"],
  [
    { m: { input: 1, output: 1, daily: [{ start: "9", end: "10:00", input: 1, output: 1 }] } },
    'm.daily[0].start must be a time in UTC such as "16:30"',
  ],
  [{ m: { input: 1, output: 1, multipliers: { fast: "2" } } }, "m.multipliers.fast must be a number of 0 or more"],
  [
    {
      m: [
        { input: 1, output: 1 },
        { input: 2, output: 2 },
      ],
    },
    "m has two prices from the beginning",
  ],
])("%j: %s", (json, message) => {
  expect(() => parsePriceOverrides(json)).toThrow(new AgentMuxError("CONFIG_ERROR", `${message}.`));
});
