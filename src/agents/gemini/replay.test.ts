/** How a chat is rebuilt from rewritten, rewound, compressed, copied and duplicate records. */
import { beforeEach, describe, expect, it } from "vitest";
import type { SessionMessage } from "../../core/session.ts";
import type { AgentEnv, SessionReader, SessionSource } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { madeHome, writeIn } from "../../../test/support/agents/made-home.ts";
import { bytesHeldBy } from "../../../test/support/agents/memory.ts";
import gemini from "./index.ts";

let env: AgentEnv;

beforeEach(() => {
  env = madeHome();
});

const ID = "11111111-2222-4333-8444-555555555555";
const HEADER = { sessionId: ID, projectHash: "00", startTime: time(0), lastUpdated: time(0), kind: "main" };

function time(second: number): string {
  return new Date(Date.UTC(2026, 8, 1, 10, 0, second)).toISOString();
}

function user(id: string, text: string, second: number): object {
  return { id, timestamp: time(second), type: "user", content: [{ text }] };
}

function reply(id: string, text: string, second: number, tokens: object | null = served(100, 10)): object {
  return { id, timestamp: time(second), type: "gemini", content: text, thoughts: [], tokens, model: "gemini-2.5-pro" };
}

function served(input: number, output: number, more: object = {}): object {
  return { input, output, cached: 0, thoughts: 0, tool: 0, total: input + output, ...more };
}

function write(path: string, content: object | object[]): void {
  const lines = Array.isArray(content) ? content.map((record) => `${JSON.stringify(record)}\n`).join("") : undefined;
  writeIn(env, `.gemini/${path}`, lines ?? JSON.stringify(content, undefined, 2));
}

const CHAT = `tmp/shop/chats/session-2026-09-01T10-00-${ID.slice(0, 8)}.jsonl`;

function list(): SessionSource[] {
  return gemini.history.listSessions(env, new ReadNotes());
}

function read(source = list()[0]!): SessionReader {
  return gemini.history.read(source, env, new ReadNotes())!;
}

function replay(...records: object[]): SessionReader {
  write(CHAT, [HEADER, ...records]);
  return read();
}

function said(reader: SessionReader): string[] {
  return [...reader.messages()].map((message: SessionMessage) => `${message.role}: ${message.content}`);
}

describe("a long chat", () => {
  it("is not kept in memory", () => {
    const megabyte = (index: number): string => `${index} ${"x".repeat(1_000_000)}`;
    const records = Array.from({ length: 12 }, (_, index) => [
      user(`u${index}`, megabyte(index), 2 * index + 1),
      reply(`r${index}`, megabyte(index), 2 * index + 2),
    ]);
    write(CHAT, [HEADER, ...records.flat()]);
    const source = list()[0]!;
    expect(bytesHeldBy(() => read(source))).toBeLessThan(2_000_000);
    expect([...read(source).messages()]).toHaveLength(24);
  });
});

describe("tokens", () => {
  const tokensOf = (tokens: object): object =>
    [...replay(user("u", "Hi", 1), reply("r", "Hello", 2, tokens)).usage()][0]!.tokens;
  const counts = { cacheWrite: 0, cacheWrite1h: 0 };

  it("are fresh input without the cached ones when the total shows that input includes them", () => {
    const tokens = { input: 1000, output: 20, cached: 600, thoughts: 5, tool: 0, total: 1025 };
    expect(tokensOf(tokens)).toEqual({ ...counts, input: 400, cached: 600, output: 25, thinking: 5 });
  });

  it("are all of the input when the total counts the cached ones separately", () => {
    const tokens = { input: 400, output: 20, cached: 300, thoughts: 5, tool: 0, total: 725 };
    expect(tokensOf(tokens)).toEqual({ ...counts, input: 400, cached: 300, output: 25, thinking: 5 });
  });

  it("are all of the input when more is cached than there is input", () => {
    const tokens = { input: 400, output: 20, cached: 600, thoughts: 0, tool: 0, total: 0 };
    expect(tokensOf(tokens)).toEqual({ ...counts, input: 400, cached: 600, output: 20, thinking: 0 });
  });

  it("of thoughts are output, and those of the vendor's tools are input", () => {
    const tokens = { input: 1000, output: 20, cached: 0, thoughts: 300, tool: 70, total: 1390 };
    expect(tokensOf(tokens)).toEqual({ ...counts, input: 1070, cached: 0, output: 320, thinking: 300 });
  });

  it("that no request can have are zero", () => {
    const tokens = { input: 1.33e179, output: -4, cached: Number.NaN, thoughts: "9", tool: 0, total: 0 };
    expect(tokensOf(tokens)).toEqual({ ...counts, input: 0, cached: 0, output: 0, thinking: 0 });
  });
});

describe("a message written again", () => {
  it("replaces the earlier one at its place and is billed once, with the last counts", () => {
    const reader = replay(
      user("u", "Hi", 1),
      reply("r", "", 2),
      user("v", "More", 3),
      reply("r", "Hello", 2, served(100, 12)),
    );
    expect(said(reader)).toEqual(["user: Hi", "assistant: Hello", "user: More"]);
    expect([...reader.usage()].map(({ key, tokens }) => [key, tokens.output])).toEqual([["r", 12]]);
  });

  it("keeps its counts when a copy comes without them", () => {
    const bare = { id: "r", timestamp: time(9), type: "gemini", content: [{ text: "Hello" }] };
    const reader = replay(user("u", "Hi", 1), reply("r", "Hello", 2), {
      $set: { messages: [user("u", "Hi", 9), bare] },
    });
    expect([...reader.usage()]).toHaveLength(1);
    const [prompt, answer] = reader.messages();
    expect(prompt!.timestamp).toEqual(new Date(time(1)));
    expect(answer).toMatchObject({ model: "gemini-2.5-pro", tokenUsage: { inputTokens: 100, outputTokens: 10 } });
  });
});

describe("a rewind", () => {
  it("removes the messages from view and not from the bill", () => {
    const reader = replay(user("u", "Hi", 1), reply("r", "Hello", 2), user("v", "No", 3), reply("s", "Sorry", 4), {
      $rewindTo: "v",
    });
    expect(said(reader)).toEqual(["user: Hi", "assistant: Hello"]);
    expect([...reader.usage()].map((record) => record.key)).toEqual(["r", "s"]);
  });

  it("to an unknown message empties the list, as the program does", () => {
    const reader = replay(user("u", "Hi", 1), reply("r", "Hello", 2), { $rewindTo: "?" }, user("v", "Again", 5));
    expect(said(reader)).toEqual(["user: Again"]);
    expect(reader.head.title).toBe("Again");
  });
});

describe("a compression", () => {
  const snapshot = user("sum", "<state_snapshot>All so far.</state_snapshot>", 9);
  const thanks = {
    id: "ack",
    timestamp: time(9),
    type: "gemini",
    content: [{ text: "Got it. Thanks for the additional context!" }],
  };

  it("that keeps the last messages does not show them twice", () => {
    const kept = [user("v2", "Two", 9), { id: "s2", timestamp: time(9), type: "gemini", content: [{ text: "2" }] }];
    const reader = replay(
      user("u", "One", 1),
      reply("r", "1", 2),
      user("v", "Two", 3),
      reply("s", "2", 4),
      { $set: { messages: [snapshot, thanks, ...kept] } },
      user("w", "Three", 10),
    );
    expect(said(reader)).toEqual([
      "user: One",
      "assistant: 1",
      "user: Two",
      "assistant: 2",
      "system: <state_snapshot>All so far.</state_snapshot>",
      "user: Three",
    ]);
  });

  it("is shown once although a resume lists its summary again", () => {
    const reader = replay(
      user("u", "One", 1),
      reply("r", "1", 2),
      { $set: { messages: [snapshot, thanks] } },
      user("w", "Two", 10),
      reply("x", "2", 11),
      { $set: { messages: [snapshot, thanks, user("w", "Two", 10), reply("x", "2", 11)] } },
    );
    expect(said(reader).filter((line) => line.startsWith("system"))).toHaveLength(1);
    expect(said(reader).at(-1)).toBe("assistant: 2");
  });
});

describe("text that is not a prompt", () => {
  it("is context, shell mode and notes of the interface; errors and interruptions are system messages", () => {
    const reader = replay(
      user("c", "<session_context>\nToday is Monday", 1),
      user("s", "I ran the following shell command:\n```sh\nls\n```", 2),
      { id: "i", timestamp: time(3), type: "info", content: "Conversation checkpoint saved with tag: x." },
      user("u", "Hi", 4),
      { id: "j", timestamp: time(5), type: "info", content: "Request cancelled." },
      { id: "e", timestamp: time(6), type: "error", content: "Quota exceeded" },
    );
    expect(said(reader)).toEqual(["user: Hi", "system: Request cancelled.", "system: Quota exceeded"]);
    expect(reader.head.title).toBe("Hi");
  });

  it("includes the text that files were inserted into, if the typed one is kept too", () => {
    const prompt = { ...user("u", "Look at @a.txt\n--- Content of a.txt", 1), displayContent: "Look at @a.txt" };
    expect(said(replay(prompt))).toEqual(["user: Look at @a.txt"]);
  });
});

describe("an imported chat", () => {
  it("is a copy whose requests keep their keys and whose messages are inherited", () => {
    const OTHER = "99999999-2222-4333-8444-555555555555";
    const first = [user("u", "Hi", 1), reply("r", "Hello", 2)];
    write(CHAT, [HEADER, ...first]);
    const note = { id: "n", timestamp: time(30), type: "info", content: "Imported session from /tmp/chat.jsonl" };
    write("tmp/shop/chats/session-1788256800000-99999999.jsonl", [
      { ...HEADER, sessionId: OTHER, startTime: time(30) },
      ...first,
      note,
      user("v", "On", 31),
      reply("s", "Yes", 32),
    ]);
    const sources = list();
    const copy = read(sources.find((source) => source.sessionId === OTHER));
    expect([...copy.usage()].map(({ key, copied }) => [key, copied])).toEqual([
      ["r", true],
      ["s", undefined],
    ]);
    expect([...copy.messages()].map((message) => message.inherited)).toEqual([true, true, undefined, undefined]);
    const family = sources.map((source) => ({ source, head: read(source).head }));
    expect(family.map(({ head }) => head.familyKeys)).toEqual([["u"], ["u"]]);
    expect(gemini.history.lineage(family)).toEqual(new Map([[OTHER, ID]]));
  });
});

describe("one session in several files", () => {
  const document = { ...HEADER, messages: [user("u", "Hi", 1), reply("r", "Hello", 2, served(50, 5))] };

  it("is read from the lines, not from the document they continue", () => {
    write(`tmp/shop/chats/session-2026-09-01T10-00-${ID.slice(0, 8)}.json`, document);
    write(CHAT, [HEADER, user("u", "Hi", 1), reply("r", "Hello", 2, null), user("v", "More", 3), reply("s", "Yes", 4)]);
    expect(list()).toHaveLength(1);
    const reader = read();
    expect(said(reader)).toEqual(["user: Hi", "assistant: Hello", "user: More", "assistant: Yes"]);
    // The lines lack the first reply's counts; the document still has them.
    expect([...reader.usage()].map(({ key, tokens }) => [key, tokens.input])).toEqual([
      ["r", 50],
      ["s", 100],
    ]);
  });

  it("is listed once when an upgrade copied the folder", () => {
    const name = `chats/session-2026-09-01T10-00-${ID.slice(0, 8)}.json`;
    write(`tmp/${"a".repeat(64)}/${name}`, document);
    write(`tmp/shop/${name}`, document);
    write("projects.json", { projects: { "/home/user/shop": "shop" } });
    expect(list()).toHaveLength(1);
    expect(read().head.cwd).toBe("/home/user/shop");
    expect([...read().usage()]).toHaveLength(1);
  });

  it("is not a session when only a stub is left", () => {
    write(CHAT, [HEADER, { $set: { messages: [user("c", "<session_context>\nToday is Monday", 1)] } }]);
    const [source] = list();
    expect(gemini.history.summarize(source!, env, new ReadNotes())).toBeUndefined();
    expect(gemini.history.read(source!, env, new ReadNotes())).toBeUndefined();
  });
});

describe("prompts and checkpoints without chats", () => {
  const entry = (sessionId: string, message: string, second: number): object => ({
    sessionId,
    messageId: second,
    type: "user",
    message,
    timestamp: time(second),
  });

  it("continue after the saved history with later prompts", () => {
    writeIn(
      env,
      ".gemini/tmp/abc/logs.json",
      JSON.stringify([
        entry(ID, "One", 1),
        entry(ID, "/chat save a b", 2),
        entry(ID, "Two", 3),
        entry("other", "/quit", 4),
      ]),
    );
    write("tmp/abc/checkpoint-a%20b.json", {
      history: [
        { role: "user", parts: [{ text: "One" }] },
        { role: "model", parts: [{ text: "1" }] },
      ],
    });
    const sources = list().filter((source) => gemini.history.summarize(source, env, new ReadNotes()));
    expect(sources.map((source) => source.sessionId)).toEqual([ID]);
    expect(said(read(sources[0]))).toEqual(["user: One", "assistant: 1", "user: Two"]);
  });

  it("of a checkpoint without a known session are a session of their own", () => {
    write("tmp/abc/checkpoint-x.json", { history: [{ role: "user", parts: [{ text: "One" }] }] });
    expect(list().map((source) => source.sessionId)).toEqual(["abc.checkpoint-x"]);
    expect(said(read())).toEqual(["user: One"]);
  });

  it("are not listed where every run has a chat, since the log names deleted ones too", () => {
    write(CHAT, [HEADER, user("u", "Hi", 1)]);
    writeIn(env, ".gemini/tmp/shop/logs.json", JSON.stringify([entry("deleted", "Old", 1)]));
    expect(list().map((source) => source.sessionId)).toEqual([ID]);
  });
});
