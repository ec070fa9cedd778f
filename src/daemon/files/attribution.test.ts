import { describe, expect, it } from "vitest";
import { guess, type Candidate } from "./attribution.ts";
import type { FoundConversation } from "./found-conversation.ts";

const START = Date.parse("2026-03-14T10:00:00Z");
const MINUTE = 60_000;

function file(createdMs: number, updatedMs = createdMs): FoundConversation {
  return { agent: "pi", sessionId: "k", path: "/k.jsonl", title: "", cwd: "/w", createdMs, updatedMs, hidden: false };
}

function session(id: string, startedMs: number, current?: FoundConversation): Candidate {
  return { id, startedMs, current };
}

describe("whose conversation is it", () => {
  it.each<[string, FoundConversation, Candidate[], string | undefined]>([
    ["nobody's when nobody is there", file(START), [], undefined],
    ["that of the one that has just begun", file(START + 3000), [session("a", START)], "a"],
    ["also when its first prompt came an hour later", file(START + 60 * MINUTE), [session("a", START)], "a"],
    ["not that of one that began after it was last written", file(START - MINUTE), [session("a", START)], undefined],
    [
      "that of the one that has none yet, of two",
      file(START + 3000),
      [session("a", START - MINUTE, file(START - MINUTE)), session("b", START)],
      "b",
    ],
    [
      "that of the one started last before it, of two without any",
      file(START + 10_000),
      [session("a", START - MINUTE), session("b", START)],
      "b",
    ],
    [
      "nobody's when two were started in the same moment",
      file(START + 10_000),
      [session("a", START), session("b", START + 500)],
      undefined,
    ],
    [
      "nobody's when two wait and neither was started near it",
      file(START + 60 * MINUTE),
      [session("a", START), session("b", START + MINUTE)],
      undefined,
    ],
    [
      "that of the one that left its old one: /new and /clear",
      file(START + 10 * MINUTE),
      [session("a", START, file(START, START + 9 * MINUTE))],
      "a",
    ],
    [
      "not that of one that is still writing another",
      file(START + MINUTE, START + 5 * MINUTE),
      [session("a", START, file(START, START + 5 * MINUTE))],
      undefined,
    ],
    [
      "that of the only one there when an old one goes on: /resume",
      file(START - 60 * MINUTE, START + MINUTE),
      [session("a", START, file(START, START + 1000))],
      "a",
    ],
    [
      "nobody's when an old one goes on and two could have opened it",
      file(START - 60 * MINUTE, START + MINUTE),
      [session("a", START), session("b", START - MINUTE)],
      undefined,
    ],
  ])("%s", (_, found, candidates, owner) => {
    expect(guess(found, candidates)).toBe(owner);
  });
});
