/** How threads are put together: locations, names, forks, rewinds, sub-agents. */
import { cpSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { recordingReads } from "../../lib/fs/directory.ts";
import type { Json } from "../../lib/json/fields.ts";
import { countMessages } from "../in-memory.ts";
import { history } from "./history.ts";
import { legacy, numbered, outline, uuidAt, WrittenHome } from "../../../test/support/agents/codex-home.ts";

const FIXTURES = fileURLToPath(new URL("fixtures", import.meta.url));
const PARENT = "01a1dce3-be63-7800-b4f5-ed1ce14c8719";
const FORK = "01a1dce3-e7ec-77d0-941a-c4d12fe3d446";
const BIG = "01a1dce4-3a8f-7191-bb3c-0c756c05330a";

let written: WrittenHome;
beforeEach(() => {
  written = new WrittenHome();
});
afterEach(() => written.remove());

/** Counts of every thread are the same with and without messages, from the ends and in full. */
function expectConsistent(): void {
  for (const source of written.sources()) {
    const reader = history.read(source, written.env, written.notes);
    if (reader) expect(reader.counts!()).toEqual(countMessages(reader.messages()));
    expect(history.summarize(source, written.env, written.notes)).toEqual(reader?.head);
  }
}

const morning = legacy("2026-03-01T10:00:00.000Z");
const THREAD = uuidAt("2026-03-01T10:00:00.000Z");
const CHILD = uuidAt("2026-03-01T12:00:00.000Z");

function shortThread(id: string, title: string): Json[] {
  return [morning.meta(id), morning.prompt(title), morning.reply("Yes."), morning.count(100, 100)];
}

describe("stores", () => {
  it("are read from the documented directory, where the file name is the id", () => {
    written.write(".codex/sessions/session-2025-01-15-001.jsonl", shortThread("anything", "Documented?"));
    expect(written.sources().map((source) => source.sessionId)).toEqual(["session-2025-01-15-001"]);
    expect(outline(written.messages("session-2025-01-15-001"))).toEqual(["user: Documented?", "assistant: Yes."]);
    expectConsistent();
  });

  it("are read with counts in messages, as documented", () => {
    written.write(".codex/sessions/plain.jsonl", [
      { role: "user", content: "Hello?", timestamp: "2026-03-01T10:00:00Z" },
      {
        id: "msg_1",
        role: "assistant",
        content: "Hi.",
        model: "gpt-5",
        usage: { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 6 } },
      },
    ]);
    expect(outline(written.messages("plain"))).toEqual(["user: Hello?", "assistant: Hi."]);
    expect(written.usage("plain")).toEqual([
      {
        key: "msg_1",
        model: "gpt-5",
        tokens: { input: 4, cached: 6, cacheWrite: 0, cacheWrite1h: 0, output: 4, thinking: 0 },
      },
    ]);
  });

  it("list a thread once, from its active uncompressed file, when copies exist elsewhere", () => {
    const active = written.rollout(THREAD, shortThread(THREAD, "Active"));
    written.write(`.codex/archived_sessions/rollout-2026-03-01T10-00-00-${THREAD}.jsonl`, shortThread(THREAD, "Old"));
    written.write(`.codex/sessions/${THREAD}.jsonl`, shortThread(THREAD, "Documented"));
    written.write(`.codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-${THREAD}.jsonl.zst`, "not even packed");
    expect(written.sources().map((source) => source.path)).toEqual([active]);
    expect(written.read(THREAD).head).toMatchObject({ title: "Active" });
    expect(written.read(THREAD).head.archived).toBeUndefined();
  });

  it("follow CODEX_HOME instead of the home", () => {
    const elsewhere = new WrittenHome({ CODEX_HOME: "~/elsewhere" });
    elsewhere.rollout(THREAD, shortThread(THREAD, "Home"));
    elsewhere.write(`elsewhere/sessions/rollout-x-${CHILD}.jsonl`, shortThread(CHILD, "Elsewhere"));
    expect(elsewhere.sources().map((source) => source.sessionId)).toEqual([CHILD]);
    expect(history.roots(elsewhere.env)).toEqual([
      join(elsewhere.home, "elsewhere/sessions"),
      join(elsewhere.home, "elsewhere/archived_sessions"),
    ]);
    elsewhere.remove();
  });

  it("that are missing have no sessions", () => {
    expect(written.sources()).toEqual([]);
    expect(written.notes.skippedCount).toBe(0);
  });
});

describe("names", () => {
  it("come from the last line of the index, which is read again when it changes", () => {
    written.rollout(THREAD, shortThread(THREAD, "First prompt"));
    const index = written.write(".codex/session_index.jsonl", [
      { id: THREAD, thread_name: "first name" },
      { id: THREAD, thread_name: "second name" },
      { id: CHILD, thread_name: "of a thread that is gone" },
    ]);
    expect(written.read(THREAD).head.title).toBe("second name");
    expect(written.source(THREAD).files.map((file) => file.path)).toContain(index);
    expectConsistent();
  });

  it("are read from the newest state database, whatever its number", () => {
    const sqlite = join(FIXTURES, "home/.codex/state_5.sqlite");
    const named = "01a1dce4-dbfe-71e1-ac96-916fbd76d1fe";
    written.rollout(named, shortThread(named, "Prompt"));
    cpSync(sqlite, join(written.home, ".codex/state_17.sqlite"));
    written.write(".codex/session_index.jsonl", [{ id: named, thread_name: "older" }]);
    expect(written.read(named).head.title).toBe("release notes");
  });

  it("are missing when the database is broken", () => {
    written.rollout(THREAD, shortThread(THREAD, "Prompt"));
    written.write(".codex/state_9.sqlite", "this is no database");
    expect(written.read(THREAD).head.title).toBe("Prompt");
    expect(written.notes.skipped.map((file) => file.path)).toEqual([join(written.home, ".codex/state_9.sqlite")]);
  });
});

describe("forks by reference", () => {
  const conversation = (home: WrittenHome): string[] => outline(home.messages(FORK)).map((line) => line.slice(0, 40));

  it("show the parent's part up to the fork, even if it is archived and compressed", () => {
    cpSync(join(FIXTURES, "packed"), written.home, { recursive: true });
    const packed = conversation(written);
    expect(packed.filter((line) => line.includes("user:"))).toEqual([
      "(inherited) user: Add a GET /health rout",
      "(inherited) user: Now document it",
      "user: Alternative: put the docs into doc",
    ]);
    expectConsistent();
    rmSync(join(written.home, ".codex"), { recursive: true });
    cpSync(join(FIXTURES, "home"), written.home, { recursive: true });
    expect(conversation(written)).toEqual(packed);
  });

  it("show only their own messages when the parent is gone", () => {
    cpSync(join(FIXTURES, "packed"), written.home, { recursive: true });
    rmSync(join(written.home, ".codex/archived_sessions"), { recursive: true });
    expect(conversation(written).filter((line) => line.includes("inherited"))).toEqual([]);
    expect(written.read(FORK).head.forkedFrom).toBe(PARENT);
    expectConsistent();
  });

  it("do not each search the whole store for a parent that is gone", () => {
    const clock = vi.spyOn(performance, "now").mockReturnValue(5000);
    try {
      written.rollout(CHILD, numbered(4, [morning.meta(CHILD, fork(THREAD, 4)), morning.prompt("Child")]));
      const source = written.source(CHILD);
      const walked = (): number =>
        recordingReads(() => history.summarize(source, written.env, written.notes)).seen.directories.size;
      expect(walked()).toBe(0);
      clock.mockReturnValue(6000);
      written.rollout(THREAD, numbered(0, shortThread(THREAD, "Root")));
      expect(walked()).toBeGreaterThan(0);
      expect(history.summarize(source, written.env, written.notes)?.title).toBe("Root");
    } finally {
      clock.mockRestore();
    }
  });

  it("can be forked again, and are titled by the first prompt of the root", () => {
    const grandchild = uuidAt("2026-03-01T13:00:00.000Z");
    const later = legacy("2026-03-01T12:00:00.000Z");
    written.rollout(THREAD, numbered(0, shortThread(THREAD, "Root")));
    written.rollout(
      CHILD,
      numbered(4, [later.meta(CHILD, fork(THREAD, 3)), later.prompt("Child"), later.reply("Ok."), later.reply("No.")]),
    );
    written.rollout(grandchild, numbered(7, [later.meta(grandchild, fork(CHILD, 7))]));
    expect(outline(written.messages(grandchild))).toEqual([
      "(inherited) user: Root",
      "(inherited) assistant: Yes.",
      "(inherited) user: Child",
      "(inherited) assistant: Ok.",
    ]);
    expect(written.read(grandchild).head.title).toBe("Root");
    expect(written.usage(grandchild)).toEqual([]);
    expectConsistent();
  });

  it("end when a chain of references goes in circles", () => {
    written.rollout(THREAD, numbered(0, [morning.meta(THREAD, fork(CHILD, 9)), morning.prompt("A")]));
    written.rollout(CHILD, numbered(0, [morning.meta(CHILD, fork(THREAD, 9)), morning.prompt("B")]));
    expect(outline(written.messages(THREAD))).toEqual(["(inherited) user: B", "user: A"]);
  });

  it("never look outside the store, whatever id a file refers to", () => {
    written.write("secret.jsonl", shortThread("secret", "Secret"));
    written.rollout(THREAD, numbered(0, [morning.meta(THREAD, fork("../../../../secret", 9)), morning.prompt("A")]));
    expect(outline(written.messages(THREAD))).toEqual(["user: A"]);
  });
});

function fork(from: string, end: number): Json {
  return {
    forked_from_id: from,
    forked_from_ordinal_exclusive: end,
    history_base: { thread_id: from, end_ordinal_exclusive: end, end_byte_offset: 1 },
  };
}

describe("rewinds", () => {
  const SEGMENT = uuidAt("2026-03-01T11:00:00.000Z", 1);
  const noon = legacy("2026-03-01T11:00:00.000Z");
  const first = numbered(0, [
    morning.meta(THREAD),
    morning.prompt("one"),
    morning.reply("1"),
    morning.record("resp_1", 10),
    morning.prompt("two"),
    morning.reply("2"),
    morning.record("resp_2", 20),
  ]);
  const base = (rolloutId: string, end: number): Json => ({
    history_base: { thread_id: rolloutId, end_ordinal_exclusive: end, end_byte_offset: 1 },
  });

  it("continue in a segment of the same thread, and what they undo is billed but not shown", () => {
    written.rollout(THREAD, first);
    const segment = numbered(4, [
      noon.meta(THREAD, base(THREAD, 4)),
      // A new segment repeats the running total; that is no new request.
      noon.count(30, 20),
      noon.prompt("three"),
      noon.reply("3"),
      noon.record("resp_3", 30),
    ]);
    const path = written.rollout(THREAD, segment, SEGMENT);
    expect(written.sources().map((source) => source.path)).toEqual([path]);
    expect(outline(written.messages(THREAD))).toEqual(["user: one", "assistant: 1", "user: three", "assistant: 3"]);
    expect(written.usage(THREAD).map((record) => record.key)).toEqual(["resp_1", "resp_2", "resp_3"]);
    expect(written.read(THREAD).head).toMatchObject({
      title: "one",
      createdMs: Date.parse("2026-03-01T10:00:00Z"),
      updatedMs: Date.parse("2026-03-01T11:00:00Z"),
    });
    expect(written.read(THREAD).raw()).toHaveLength(first.length + segment.length);
    expectConsistent();
  });

  it("can be rewound again: the next segment names the segment, not the thread", () => {
    const third = uuidAt("2026-03-01T11:30:00.000Z", 2);
    written.rollout(THREAD, first);
    written.rollout(
      THREAD,
      numbered(4, [noon.meta(THREAD, base(THREAD, 4)), noon.prompt("a"), noon.prompt("b")]),
      SEGMENT,
    );
    written.rollout(THREAD, numbered(6, [noon.meta(THREAD, base(SEGMENT, 6)), noon.prompt("c")]), third);
    expect(outline(written.messages(THREAD))).toEqual(["user: one", "assistant: 1", "user: a", "user: c"]);
    rmSync(join(written.home, `.codex/sessions/2026/03/01/rollout-2026-03-01T11-00-00-${THREAD}_${third}.jsonl`));
    written.rollout(THREAD, numbered(2, [noon.meta(THREAD, base(THREAD, 2)), noon.prompt("d")]), third);
    expect(outline(written.messages(THREAD))).toEqual(["user: one", "user: d"]);
    expectConsistent();
  });

  it("of older versions cancel the last turns in place", () => {
    const rolledBack = (num_turns: number): Json =>
      morning.line("event_msg", { type: "thread_rolled_back", num_turns });
    written.rollout(THREAD, [
      morning.meta(THREAD),
      morning.prompt("one"),
      morning.reply("1"),
      morning.count(10, 10),
      morning.prompt("two"),
      morning.reply("2"),
      morning.count(30, 20),
      morning.prompt("three"),
      rolledBack(2),
      morning.prompt("four"),
      morning.reply("4"),
      morning.count(60, 30),
      morning.prompt("five"),
      rolledBack(1),
    ]);
    expect(outline(written.messages(THREAD))).toEqual(["user: one", "assistant: 1", "user: four", "assistant: 4"]);
    expect(written.usage(THREAD).map((record) => record.tokens.input)).toEqual([10, 20, 30]);
    expectConsistent();
    written.rollout(CHILD, [...shortThread(CHILD, "all"), rolledBack(7)]);
    expect(written.messages(CHILD)).toEqual([]);
    expect(written.usage(CHILD)).toHaveLength(1);
    expectConsistent();
  });
});

describe("sub-agents", () => {
  it("of the second kind get their task as a message between agents", () => {
    const spawn = { parent_thread_id: THREAD, depth: 1, agent_path: "/root/find_tax" };
    const message = (text: string, rest: Json[] = []): Json =>
      morning.line("response_item", {
        type: "agent_message",
        author: "/root",
        recipient: "/root/find_tax",
        content: [{ type: "input_text", text }, ...rest],
      });
    const head = "Message Type: NEW_TASK\nTask name: /root/find_tax\nSender: /root\nPayload:\n";
    const encrypted = { type: "encrypted_content", encrypted_content: "gAAAA" };
    written.rollout(CHILD, [
      morning.meta(CHILD, { source: { subagent: { thread_spawn: spawn } }, session_id: "01a0-the-root" }),
      message(`${head}Find the tax.`),
      morning.reply("Line 3."),
      message(head, [encrypted]),
    ]);
    expect(outline(written.messages(CHILD))).toEqual([
      "user: Find the tax.",
      "assistant: Line 3.",
      "user: /root/find_tax",
    ]);
    expect(written.read(CHILD).head).toMatchObject({ parentId: THREAD, title: "Find the tax." });
    expectConsistent();
  });

  it("of 0.166 keep their task, and do not show their own messages as the user's", () => {
    const spawn = { parent_thread_id: THREAD, depth: 1, agent_path: "/root/find_tax" };
    const message = (author: string, content: Json[]): Json =>
      morning.line("response_item", { type: "agent_message", author, recipient: "/root/find_tax", content });
    const head = "Message Type: NEW_TASK\nTask name: /root/find_tax\nSender: /root\nPayload:\n";
    written.rollout(CHILD, [
      morning.meta(CHILD, { source: { subagent: { thread_spawn: spawn } } }),
      message("/root", [
        { type: "input_text", text: head },
        { type: "encrypted_content", encrypted_content: "HELPER-B find the tax factor" },
      ]),
      message("/root/find_tax", [{ type: "input_text", text: "Message Type: STATUS\nPayload:\nStill looking" }]),
      morning.reply("Line 3."),
    ]);
    expect(outline(written.messages(CHILD))).toEqual(["user: HELPER-B find the tax factor", "assistant: Line 3."]);
    expect(written.read(CHILD).head.title).toBe("HELPER-B find the tax factor");
    expectConsistent();
  });

  it("of a review have their items in the parent's file, but not in the parent's conversation", () => {
    const item = (thread_id: string, fields: Json): Json =>
      morning.line("event_msg", { type: "item_completed", thread_id, turn_id: "t", item: fields });
    const user = (text: string): Json => ({ type: "UserMessage", id: "u", content: [{ type: "text", text }] });
    written.rollout(THREAD, [
      morning.meta(THREAD),
      item(THREAD, { type: "EnteredReviewMode", id: "r", review: "current changes" }),
      item(CHILD, user("Review the diff with these rules …")),
      morning.record("resp_child", 50, { thread_id: CHILD }),
      item(THREAD, { type: "ExitedReviewMode", id: "r", review: "Fine." }),
      morning.reply("Fine."),
    ]);
    expect(outline(written.messages(THREAD))).toEqual(["system: Review: current changes", "assistant: Fine."]);
    expect(written.usage(THREAD)).toEqual([]);
    expect(written.read(THREAD).head.title).toBe("Review: current changes");
    expectConsistent();
  });
});

describe("compressed threads", () => {
  it("are read like plain ones, in pieces", () => {
    cpSync(join(FIXTURES, "packed"), written.home, { recursive: true });
    const packed = { messages: written.messages(BIG), head: written.read(BIG).head, raw: written.read(BIG).raw() };
    const day = join(written.home, ".codex/sessions/2026/11/15");
    rmSync(day, { recursive: true });
    mkdirSync(day);
    const name = `rollout-2026-11-15T01-48-27-${BIG}.jsonl`;
    cpSync(join(FIXTURES, "home/.codex/sessions/2026/11/15", name), join(day, name));
    expect(packed).toEqual({
      messages: written.messages(BIG),
      head: written.read(BIG).head,
      raw: written.read(BIG).raw(),
    });
  });

  it("are found again when they are archived", () => {
    const path = written.rollout(THREAD, shortThread(THREAD, "Cold"));
    mkdirSync(join(written.home, ".codex/archived_sessions"));
    renameSync(path, join(written.home, `.codex/archived_sessions/rollout-2026-03-01T10-00-00-${THREAD}.jsonl`));
    expect(written.read(THREAD).head).toMatchObject({ title: "Cold", archived: true });
  });
});
