import { describe, expect, it } from "vitest";
import type { SessionRecord } from "../store/session-record.ts";
import { candidatesFor, guess, isNamedIn, nearest, suspects, type Candidate } from "./attribution.ts";
import type { FoundConversation } from "./found-conversation.ts";

const START = Date.parse("2026-03-14T10:00:00Z");
const MINUTE = 60_000;

function file(createdMs: number, updatedMs = createdMs): FoundConversation {
  return { agent: "pi", sessionId: "k", path: "/k.jsonl", title: "", cwd: "/w", createdMs, updatedMs, hidden: false };
}

function session(id: string, startedMs: number, current?: FoundConversation, isTold = false): Candidate {
  return { id, startedMs, current, isTold };
}

describe("the possible writer of a conversation", () => {
  const shell = (id: string, inner?: SessionRecord["inner"]): SessionRecord => ({
    id,
    created_at: new Date(START).toISOString(),
    started_at: new Date(START).toISOString(),
    kind: "shell",
    command: ["bash"],
    cwd: "/w",
    alive: true,
    status: null,
    unread: false,
    ...(inner === undefined ? {} : { inner }),
  });
  const pi = (cwd: string, startedMs: number): SessionRecord["inner"] => ({
    agent: "pi",
    process: { pid: 1, command: ["pi"], cwd, started_at: new Date(startedMs).toISOString() },
  });

  it("is an agent in a shell, by its directory and start, and never a shell without one", () => {
    const live = [
      shell("a"),
      shell("b", { agent: "pi" }),
      shell("c", pi("/elsewhere", START)),
      shell("d", pi("/w", START + MINUTE)),
    ];
    const found = candidatesFor(file(START + 2 * MINUTE), live, () => undefined);
    expect(found).toEqual([{ id: "d", startedMs: START + MINUTE, current: undefined, isTold: false }]);
    expect(guess(file(START + 2 * MINUTE), found)).toBe("d");
    expect(guess(file(START), found), "written before it was started").toBeUndefined();
  });
});

describe("the writer of a conversation", () => {
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
      "not known from the time of the start, of two without any",
      file(START + 10_000),
      [session("a", START - MINUTE), session("b", START)],
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
      "nobody's when an old one goes on: somebody may have opened it outside",
      file(START - 60 * MINUTE, START + MINUTE),
      [session("a", START, file(START, START + 1000))],
      undefined,
    ],
    [
      "not that of one whose launch named another",
      file(START + 10 * MINUTE),
      [session("a", START, file(START - MINUTE, START + MINUTE), true)],
      undefined,
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

describe("the writer of a conversation that no screen shows", () => {
  it.each<[string, FoundConversation, Candidate[], string | undefined]>([
    [
      "is the one started last before it",
      file(START + 10_000),
      [session("a", START - MINUTE), session("b", START), session("later", START + MINUTE)],
      "b",
    ],
    [
      "is nobody if two were started in the same moment",
      file(START + 10_000),
      [session("a", START), session("b", START + 500)],
      undefined,
    ],
    [
      "is nobody if two wait and neither was started near it",
      file(START + 60 * MINUTE),
      [session("a", START), session("b", START + MINUTE)],
      undefined,
    ],
    [
      "is the only one that still waits",
      file(START + 60 * MINUTE),
      [session("a", START, file(START)), session("b", START), session("c", START, undefined, true)],
      "b",
    ],
    ["is nobody if all have one", file(START + MINUTE), [session("a", START, file(START))], undefined],
  ])("%s", (_, found, candidates, owner) => {
    expect(nearest(found, candidates)).toBe(owner);
  });
});

describe("the conversation a command line names", () => {
  const key = "5cbe954d-0000-4000-8000-000000000000";
  const found: FoundConversation = {
    ...file(START),
    sessionId: key,
    path: `/store/${key}.jsonl`,
    resumeCommand: ["claude", "--resume", key],
    forkCommand: ["claude", "--resume", key, "--fork-session"],
  };
  const codex: FoundConversation = {
    ...found,
    resumeCommand: ["codex", "resume", key],
    forkCommand: ["codex", "fork", key],
  };

  it.each<[string[], FoundConversation, boolean]>([
    [["claude", "--resume", key], found, true],
    [["claude", "--model", "opus", `--resume=${key}`], found, true],
    [["claude", "--session-id", key], found, true],
    [["codex", "resume", key], codex, true],
    [["pi", "--session", `/store/${key}.jsonl`], found, true],
    [["claude", "--resume", key, "--fork-session"], found, false],
    [["codex", "fork", key], codex, false],
    [["claude", "--resume"], found, false],
    [["claude", `tell me about ${key}`], found, false],
    [[key], found, false],
  ])("%j: %#", (command, conversation, isNamed) => {
    expect(isNamedIn(command, conversation)).toBe(isNamed);
  });
});

describe("the screens to compare", () => {
  it("are those of the possible writers", () => {
    const found = file(START + 10_000, START + 20_000);
    const old = session("still busy with another", START, file(START, START + 60_000));
    const later = session("began later", START + 60_000);
    expect(suspects(found, [session("a", START), session("b", START + 500), old, later])).toEqual(["a", "b"]);
    const told = session("told", START, file(START - MINUTE), true);
    expect(suspects(found, [told]), "it may have gone on to a new one").toEqual(["told"]);
    expect(suspects(file(START - MINUTE, START + 20_000), [told]), "not to an old one").toEqual([]);
  });
});
