import { expect, it } from "vitest";
import { pauseAfter } from "./look-pause.ts";

it("a quiet session is looked at less and less, at most once a minute in the end", () => {
  const pauses = [0];
  for (let look = 0; look < 8; look++) pauses.push(pauseAfter(pauses.at(-1)!, false, false));
  expect(pauses.slice(1)).toEqual([3000, 6000, 12_000, 24_000, 48_000, 60_000, 60_000, 60_000]);
});

it("a session that prints is looked at every few seconds again", () => {
  expect(pauseAfter(60_000, true, false)).toBe(3000);
  expect(pauseAfter(60_000, false, true)).toBe(3000);
});
