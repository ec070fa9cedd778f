import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionMessage } from "../../core/session.ts";
import { ReadNotes } from "../read-notes.ts";
import { madeHome, makeDatabase, whileLocked, writeIn } from "../../../test/support/agents/made-home.ts";
import { listedIds } from "../../../test/support/agents/reading.ts";
import { history } from "./history.ts";
import { Blobs, CHAT, chatOf, field, makeChat, open } from "../../../test/support/agents/cursor-chat.ts";

const user = (text: string): object => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (text: string): object => ({ role: "assistant", content: [{ type: "text", text }] });
const call = (id: string): object => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName: "Shell", args: { command: "ls" } }],
});

function shown(env = madeHome()): [string, string][] {
  return [...open(env, "chat-1").reader.messages()].map(({ role, content }: SessionMessage) => [role, content]);
}

describe("a chat store", () => {
  it("follows the root in its metadata, not the abandoned branches", () => {
    const env = madeHome();
    const blobs = new Blobs();
    const first = blobs.add(user("<user_query>Go</user_query>"));
    const left = field(1, blobs.add(assistant("left behind")));
    blobs.add(Buffer.concat([field(1, first), left]));
    blobs.add({ cells: [], nbformat: 4 });
    makeChat(env, blobs, Buffer.concat([field(1, first), field(1, blobs.add(assistant("kept")))]));
    expect(shown(env)).toEqual([
      ["user", "Go"],
      ["assistant", "kept"],
    ]);
    expect(JSON.stringify(open(env, "chat-1").reader.raw())).toContain("left behind");
  });

  it("shows the same text twice if it was written twice", () => {
    const env = madeHome();
    chatOf(env, [user("continue"), assistant("ok"), user("continue"), assistant("ok")]);
    expect(shown(env)).toHaveLength(4);
  });

  it("shows what a compaction removed, then its summary", () => {
    const env = madeHome();
    const blobs = new Blobs();
    const summary = blobs.add({ ...user("In short."), providerOptions: { cursor: { isSummary: true } } });
    const older = blobs.add({ ...user("In shorter."), providerOptions: { cursor: { isSummary: true } } });
    const archive = (messages: object[], summaryId: Buffer): Buffer =>
      blobs.add(
        Buffer.concat([...messages.map((message) => field(1, blobs.add(message))), field(2, "x"), field(4, summaryId)]),
      );
    makeChat(
      env,
      blobs,
      Buffer.concat([
        field(1, blobs.add({ role: "system", content: "vendor prompt" })),
        field(1, summary),
        field(1, blobs.add(user("Go on"))),
        field(13, archive([user("One"), assistant("Two")], older)),
        field(13, archive([user("Three")], summary)),
      ]),
    );
    expect(shown(env)).toEqual([
      ["user", "One"],
      ["assistant", "Two"],
      ["system", "In shorter."],
      ["user", "Three"],
      ["system", "In short."],
      ["user", "Go on"],
    ]);
    expect(open(env, "chat-1").head.title).toBe("One");
  });

  it("adds a reply whose tools are still running, once", () => {
    const env = madeHome();
    const blobs = new Blobs();
    const list = [user("Go"), call("c1")].map((message) => field(1, blobs.add(message)));
    const pending = [call("c1"), call("c2")].map((message) => field(4, JSON.stringify(message)));
    makeChat(env, blobs, Buffer.concat([...list, ...pending]));
    const calls = [...open(env, "chat-1").reader.messages()].flatMap((message) => message.toolCalls ?? []);
    expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(["c1", "c2"]);
  });

  it("pairs results by id, which may contain a line break, in both shapes", () => {
    const env = madeHome();
    const id = "call_1\nfc_1";
    chatOf(env, [
      call(id),
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: id, toolName: "Shell", result: { code: 1 }, isError: true }],
      },
      {
        role: "assistant",
        content: "",
        model: "gpt-5",
        tool_calls: [{ id: "o", function: { name: "Read", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "o", content: "text" },
    ]);
    const messages = [...open(env, "chat-1").reader.messages()];
    expect(messages.flatMap((message) => message.toolCalls ?? [])).toEqual([
      { toolCallId: id, toolName: "Shell", input: { command: "ls" }, output: { code: 1 }, isError: true },
      { toolCallId: "o", toolName: "Read", input: "{}", output: "text" },
    ]);
    expect(messages.map((message) => message.toolResult?.toolName)).toEqual([undefined, "Shell", undefined, "Read"]);
    expect(messages[1]!.content).toBe('{"code":1}');
    expect(messages[2]!.model).toBe("gpt-5");
  });

  it("separates the typed text from the context sent with it", () => {
    const env = madeHome();
    chatOf(env, [
      user("<user_info>\nWorkspace Path: /home/me/my project\nShell: bash\n</user_info>"),
      user("<timestamp>Wednesday, Sep 2, 2026, 9:15 PM (UTC-3:30)</timestamp>\n<user_query>\nHello\n</user_query>"),
      { role: "user", content: [{ type: "image", image: {} }] },
      assistant("Hi"),
    ]);
    const { head, reader } = open(env, "chat-1");
    expect(head).toMatchObject({ title: "Hello", cwd: "/home/me/my project" });
    expect(shown(env)).toEqual([
      ["user", "Hello"],
      ["user", "[image]"],
      ["assistant", "Hi"],
    ]);
    expect([...reader.messages()][0]!.timestamp).toEqual(new Date("2026-09-03T00:45:00Z"));
  });

  it("accepts metadata in plain JSON", () => {
    const env = madeHome();
    const blobs = new Blobs();
    const root = blobs.add(field(1, blobs.add(user("Hello"))));
    makeChat(env, blobs, undefined);
    makeDatabase(
      join(env.home, `${CHAT}/store.db`),
      `UPDATE meta SET value = '${JSON.stringify({ latestRootBlobId: root.toString("hex"), name: "Named" })}'`,
    );
    expect(open(env, "chat-1").head.title).toBe("Named");
  });

  it("counts unknown parts and roles", () => {
    const env = madeHome();
    chatOf(env, [
      { role: "user", content: [{ type: "hologram" }, { type: "text", text: "Hi" }] },
      { role: "oracle", content: "x" },
    ]);
    const { reader, notes } = open(env, "chat-1");
    expect([...reader.messages()]).toHaveLength(1);
    expect([...notes.unknownTypes.keys()]).toEqual(["part hologram", "role oracle"]);
  });

  it("belongs to a parent when its transcript is among that one's sub-agents", () => {
    const env = madeHome();
    chatOf(env, [user("Count")]);
    writeIn(env, ".cursor/projects/p/agent-transcripts/parent-1/subagents/chat-1.jsonl", "");
    expect(open(env, "chat-1").head.parentId).toBe("parent-1");
  });
});

describe("damage to a chat store", () => {
  it("loses only the messages of damaged blobs", () => {
    const env = madeHome();
    const blobs = new Blobs();
    const ids = [
      blobs.add(user("Hello")),
      blobs.add(Buffer.from([1, 2, 3])),
      Buffer.alloc(32, 7),
      blobs.add(assistant("Hi")),
    ];
    const path = makeChat(env, blobs, Buffer.concat(ids.map((id) => field(1, id))));
    expect(shown(env)).toHaveLength(2);
    expect(open(env, "chat-1").notes.damaged.get(path)).toBe(2);
  });

  const TRANSCRIPT = ".cursor/projects/p/agent-transcripts/chat-1/chat-1.jsonl";
  const LINES = '{"role":"user","message":{"content":"From the transcript"}}\n';
  const broken: [string, (env: ReturnType<typeof madeHome>) => void][] = [
    ["is no database", (env) => writeIn(env, `${CHAT}/store.db`, "nonsense ".repeat(200))],
    ["has other tables", (env) => makeDatabase(join(env.home, `${CHAT}/store.db`), "CREATE TABLE x (y)")],
    ["is cut off", (env) => truncateSync(chatOf(env, [user("a".repeat(20_000))]), 9000)],
    ["names a root that is gone", (env) => makeChat(env, new Blobs(), undefined, { latestRootBlobId: "00" })],
    ["has a root nobody can decode", (env) => makeChat(env, new Blobs(), Buffer.from("7b7b7b", "hex"))],
  ];

  it.each(broken)("is reported: it %s", (_, damage) => {
    const env = madeHome();
    damage(env);
    const notes = new ReadNotes();
    const [source] = history.listSessions(env, notes);
    expect(history.summarize(source!, env, notes)).toBeUndefined();
    expect(notes.skipped.map((skipped) => skipped.path)).toEqual([join(env.home, CHAT, "store.db")]);
    expect(() => history.read(source!, env, notes)).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }));
  });

  it.each(broken)("is compensated by the transcript: it %s", (_, damage) => {
    const env = madeHome();
    damage(env);
    writeIn(env, TRANSCRIPT, LINES);
    const { head, reader, notes } = open(env, "chat-1");
    expect(head.title).toBe("From the transcript");
    expect([...reader.messages()]).toHaveLength(1);
    expect(notes.skippedCount).toBe(2);
  });

  it("is not assumed while Cursor is writing", () => {
    const env = madeHome();
    whileLocked(chatOf(env, [user("Hello")]), () => {
      const { head, reader, notes } = open(env, "chat-1");
      expect(head.title).toBe("Hello");
      expect([...reader.messages()]).toHaveLength(1);
      expect(notes.skipped).toEqual([]);
    });
  });

  it("is not assumed before the first message", () => {
    const env = madeHome();
    makeChat(env, new Blobs(), undefined);
    const notes = new ReadNotes();
    const [source] = history.listSessions(env, notes);
    expect(history.summarize(source!, env, notes)).toBeUndefined();
    expect(history.read(source!, env, notes)).toBeUndefined();
    expect(notes.skipped).toEqual([]);
  });

  it("is not assumed for an empty file, which is not listed", () => {
    const env = madeHome();
    writeIn(env, `${CHAT}/store.db`, "");
    expect(listedIds(history, env)).toEqual([]);
  });

  it("includes a directory in place of the store, and affects no other chat", () => {
    const env = madeHome();
    chatOf(env, [user("Hello")]);
    mkdirSync(join(env.home, CHAT, "..", "chat-2", "store.db"), { recursive: true });
    writeFileSync(join(env.home, CHAT, "meta.json"), "{torn");
    const notes = new ReadNotes();
    expect(listedIds(history, env, notes)).toEqual(["chat-1"]);
    expect(notes.skipped.map((skipped) => skipped.reason)).toEqual(["is a directory"]);
    expect(open(env, "chat-1").head.title).toBe("Hello");
  });
});
