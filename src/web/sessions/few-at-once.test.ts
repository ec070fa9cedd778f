import { expect, it } from "vitest";
import { fewAtOnce } from "./few-at-once.ts";

it("an action on many sessions runs once for each, four at a time", async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  const ids = Array.from({ length: 30 }, (_, index) => index);
  await fewAtOnce(ids, async (id) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve));
    running--;
    done.push(id);
  });
  expect(most).toBe(4);
  expect(done.sort((a, b) => a - b)).toEqual(ids);
});
