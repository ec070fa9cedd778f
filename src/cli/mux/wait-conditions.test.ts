import { expect, test } from "vitest";
import { goalOf, waitUntil, type Watched } from "./wait-conditions.ts";

test("a slow check is awaited before the next one: two never overlap", async () => {
  let [underWay, most, looks] = [0, 0, 0];
  const slow: Watched = {
    lookEveryMs: 1,
    meta: () => Promise.resolve(undefined),
    exited: () => Promise.resolve(undefined),
    text: async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setTimeout(resolve, 20));
      underWay--;
      return ++looks === 4 ? "it is done" : "not yet";
    },
  };
  expect(await waitUntil(goalOf("text", "done"), slow, Number.POSITIVE_INFINITY)).toBe(0);
  expect({ most, underWay, looks }).toEqual({ most: 1, underWay: 0, looks: 4 });
});
