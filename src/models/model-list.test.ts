import { expect, test } from "vitest";
import { listModels } from "./model-list.ts";
import { createPriceTable } from "./price-table.ts";

const AT = Date.parse("2026-11-15");

test("lists each model once, by vendor and id", () => {
  const models = listModels(createPriceTable(), AT);
  const names = models.map(({ vendor, id }) => `${vendor}/${id}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(names.toSorted());
  expect(models.find(({ id }) => id === "gpt-5.5")).toEqual({
    id: "gpt-5.5",
    vendor: "openai",
    rates: { input: 5, output: 30, cacheRead: 0.5 },
    longContextAbove: 271_999,
    multipliers: { fast: 2.5, priority: 2.5, flex: 0.5 },
  });
});

test("shows the user's models, from the day they have a price", () => {
  const table = createPriceTable({ mine: { from: "2026-11-15", input: 1, output: 2 } });
  const mine = { id: "mine", vendor: "user", rates: { input: 1, output: 2 }, multipliers: {} };
  expect(listModels(table, AT)).toContainEqual(mine);
  expect(listModels(table, AT - 1).some(({ id }) => id === "mine")).toBe(false);
});
