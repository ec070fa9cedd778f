import { expect, it } from "vitest";
import { nearest } from "./nearest.ts";

it.each([
  ["claud", ["codex", "claude", "cursor"], "claude"],
  ["list", ["cost", "ls"], "ls"],
  ["sesions", ["sessions", "send"], "sessions"],
  ["xy", ["pi", "ls"], undefined],
  ["abc", ["xbc"], "xbc"],
  ["nothing-like-it", ["pi", "run"], undefined],
])("%s of %j is %s", (word, candidates, meant) => {
  expect(nearest(word, candidates)).toBe(meant);
});
