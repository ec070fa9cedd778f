/** Archived, continued and spawned transcripts among the files. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sumOf } from "../../../test/support/agents/recorded-trees.ts";
import { FIXTURES, openHome } from "../../../test/support/agents/openclaw-homes.ts";
import { parseTranscriptName } from "./found-session.ts";

const home = openHome(join(FIXTURES, "home-archives"));

const MAIN = "c839e6a3-e699-427d-9425-95d18a82d63a";
const SUBAGENT = "0c3e5a1d-5d0f-4c57-9a4b-b3d0f8a2c611";
const GROUP = "e1dc3f1f-63b1-4988-b40c-15cc5c07cf67";
const GROUP_AFTER_RESET = "2f0c7b7e-94d5-4c4e-a0c2-6f0c8f3b1d52";
const GROUP_NOW = "7d1f6f0a-3c52-4b2f-8a55-90a6f1f4b7c3";
const DELETED = "124e4e03-f072-4a92-a17b-24c08f63ec31";
const TABLES = "5f439f5e-25c8-420c-b1ec-64e0bdb56426";
const TABLES_CONTINUED = "5b7a4c1e-8f0d-4e7b-b0f1-0d8a54a0c9e2";
const TOPIC = "9c0d2f5b-6a41-4d6f-9d7e-52b1c1a6e0f4";
const BEFORE_AGENTS = "31d0a1c4-77ce-4b7c-8d3e-0c2f6a9b5e18";

describe("a directory of transcripts", () => {
  it("gives live, reset, deleted and unindexed ones, and no backups, checkpoints, locks or trajectories", () => {
    expect(home.ids).toEqual(
      [
        MAIN,
        SUBAGENT,
        GROUP,
        GROUP_AFTER_RESET,
        GROUP_NOW,
        "demo-1",
        "demo-1.deleted.2026-11-15T03-00-00.000Z",
        DELETED,
        TABLES,
        TABLES_CONTINUED,
        TOPIC,
        BEFORE_AGENTS,
      ].sort(),
    );
    expect(home.notes.skipped).toEqual([]);
  });

  it("distinguishes sessions written under one name because of resets", () => {
    const created = [GROUP, GROUP_AFTER_RESET, GROUP_NOW].map((id) => new Date(home.head(id).createdMs!).toISOString());
    expect(created).toEqual(["2026-11-15T01:52:20.387Z", "2026-11-16T01:52:20.387Z", "2026-11-17T01:52:20.387Z"]);
    expect([GROUP, GROUP_AFTER_RESET, GROUP_NOW].map((id) => home.head(id).archived ?? false)).toEqual([
      true,
      true,
      false,
    ]);
    // The label belongs to the key, which points at the newest session.
    expect(home.head(GROUP_NOW).title).toBe("Shop team group");
    expect(home.head(GROUP).title).toBe("Who is on duty today?");
  });

  it("bills archived transcripts in full", () => {
    const { costUsd } = sumOf(home.read(GROUP).usage());
    expect(costUsd).toBeCloseTo(0.0056943, 9);
    expect(sumOf(home.read(GROUP_AFTER_RESET).usage()).costUsd).toBeCloseTo(0.0056943, 9);
  });

  it("keeps a deleted session beside a new one of the same chosen id", () => {
    const deleted = home.head("demo-1.deleted.2026-11-15T03-00-00.000Z");
    expect(deleted.archived).toBe(true);
    expect(deleted.createdMs).toBeLessThan(home.head("demo-1").createdMs!);
  });

  it("reads compressed archives", () => {
    expect(home.head(DELETED)).toMatchObject({ title: "Draft the release notes", archived: true });
    expect(home.messages(DELETED).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(sumOf(home.read(DELETED).usage()).input).toBe(1590);
  });

  it("groups a sub-agent's session under its parent", () => {
    expect(home.head(SUBAGENT).parentId).toBe(MAIN);
    expect(home.read(SUBAGENT).head.parentId).toBe(MAIN);
    expect(home.head(MAIN).parentId).toBeUndefined();
  });

  it("shows a sub-agent's result as a notice and bills no model for what was only delivered", () => {
    const [notice, delivered] = home.messages(MAIN).slice(-2);
    expect(notice).toMatchObject({ role: "system", content: expect.stringContaining("It adds up the prices.") });
    expect(delivered).toMatchObject({ role: "assistant", content: "The helper says: it adds up the prices." });
    expect(delivered!.model).toBeUndefined();
    const usage = [...home.read(MAIN).usage()];
    expect(usage).toHaveLength(7);
    expect(usage.every(({ unknown }) => unknown === undefined)).toBe(true);
    expect(home.head(MAIN).model).toBe("claude-sonnet-4-5");
  });

  it("marks what a continued transcript repeats from its predecessor", () => {
    expect(home.head(TABLES_CONTINUED)).toMatchObject({ forkedFrom: TABLES });
    expect(home.messages(TABLES_CONTINUED).map(({ inherited }) => inherited ?? false)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const [copied, own] = [...home.read(TABLES_CONTINUED).usage()];
    expect(copied).toMatchObject({ copied: true });
    expect([...home.read(TABLES).usage()].map(({ key }) => key)).toContain(copied!.key);
    expect(own).toMatchObject({ tokens: { input: 100, output: 7 } });
    expect(own!.copied).toBeUndefined();
  });

  it("uses display names that say more than the key, and the archive mark of an entry", () => {
    expect(home.head(TOPIC)).toMatchObject({ title: "Forum: deliveries", archived: true });
    expect(home.head("demo-1").title).toBe("What does the total command do?");
  });
});

describe("the name of a file", () => {
  it.each([
    ["a1.jsonl", { id: "a1", distinctId: "a1", compressed: false }],
    ["release-2026.11.jsonl", { id: "release-2026.11", distinctId: "release-2026.11", compressed: false }],
    ["my.checkpoint.notes.jsonl", { id: "my.checkpoint.notes", distinctId: "my.checkpoint.notes", compressed: false }],
    ["a1-topic-42.jsonl", { id: "a1", distinctId: "a1-topic-42", compressed: false }],
    [
      "a1.jsonl.reset.2026-11-15T03-00-00.000Z",
      { id: "a1", distinctId: "a1.reset.2026-11-15T03-00-00.000Z", archived: "reset", compressed: false },
    ],
    [
      "a1.jsonl.deleted.1794707658488",
      { id: "a1", distinctId: "a1.deleted.1794707658488", archived: "deleted", compressed: false },
    ],
    [
      "a1.jsonl.deleted.2026-11-15T03-00-00.000Z.3f9a.zst",
      { id: "a1", distinctId: "a1.deleted.2026-11-15T03-00-00.000Z", archived: "deleted", compressed: true },
    ],
    [
      `agent_main_explicit_v1.2.${MAIN}.jsonl.imported-1794707658488`,
      { id: MAIN, distinctId: MAIN, archived: "imported", compressed: false },
    ],
  ])("%s is a transcript", (name, expected) => {
    expect(parseTranscriptName(name)).toEqual(expected);
  });

  it.each([
    "sessions.json",
    "sessions.json.bak.1794707658488",
    "a1.jsonl.lock",
    "a1.jsonl.bak-186-1794707658488",
    "a1.jsonl.bak.2026-11-15T03-00-00.000Z",
    "a1.trajectory.jsonl",
    "a1.trajectory-path.json",
    "a1.checkpoint.2619b3b4-912a-4dcd-9323-b83310050182.jsonl",
    "legacy-store.sessions.json.imported-1794707658488",
  ])("%s is not a transcript", (name) => {
    expect(parseTranscriptName(name)).toBeUndefined();
  });
});
