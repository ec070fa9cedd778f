import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { madeHome, writeIn } from "../../../test/support/agents/made-home.ts";
import { clientOf } from "../../../test/support/made-agent.ts";
import { listedHeads, readSession, readSoleSession, toldBy } from "../../../test/support/agents/reading.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { hooks } from "./hooks.ts";
import cn from "./index.ts";

const HOME = join(import.meta.dirname, "fixtures/home");
const recorded: AgentEnv = { home: HOME, platform: "linux", vars: {} };
const PARENT = "539d19e8-746b-4e01-b965-9abb71575b94";
const FORK = "ec4cd7eb-1c8d-4410-baf6-31dabf898a81";
const TOOLS = "6129953a-3704-4114-a619-c05405bd3be1";
const FILE = `.continue/sessions/${TOOLS}.json`;

conformance(cn, { home: HOME, sessions: 5 });
conformance(cn, { home: join(import.meta.dirname, "fixtures/subagent-home"), sessions: 3 });

it("shows on its screen whether it works", () => {
  const rows = (name: string): string[] =>
    readFileSync(join(import.meta.dirname, "fixtures/screens", `${name}.txt`), "utf8").split("\n");
  const names = ["start", "working", "sign-in", "permission"];
  expect(names.map((name) => hooks.screenState!(rows(name)))).toEqual(["idle", "working", undefined, undefined]);
  const quoted = ["● It says ( 3s • esc to interrupt )", "", "", ...rows("start")];
  expect(hooks.screenState!(quoted)).toBe("idle");
});

describe("a recorded session", () => {
  it("has the tokens of what a compaction removed, from its total", () => {
    const { reader } = readSession(cn.history, recorded, PARENT);
    const [removed, ...others] = reader.usage();
    expect(removed).toEqual({
      key: `${PARENT} removed`,
      at: expect.any(Number) as number,
      model: "gpt-4.1",
      tokens: { input: 6150, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 108, thinking: 0 },
    });
    expect(others).toHaveLength(2);
    expect([...reader.messages()][0]).toEqual({ role: "system", content: "Nothing more is scripted." });
  });

  it("and its fork are each billed for their own requests", () => {
    const bill = (id: string): number[] =>
      Array.from(readSession(cn.history, recorded, id).reader.usage(), ({ tokens }) => tokens.output);
    expect(bill(PARENT)).toEqual([108, 27, 28]);
    expect(bill(FORK)).toEqual([29]);
  });

  it("is billed at its own time, so that reports of some days have it", () => {
    const { head, reader } = readSession(cn.history, recorded, TOOLS);
    expect(head.createdMs).toBeDefined();
    expect(new Set(Array.from(reader.usage(), ({ at }) => at))).toEqual(new Set([head.createdMs]));
  });

  it("says which tool failed", () => {
    const { reader } = readSession(cn.history, recorded, TOOLS);
    const calls = [...reader.messages()].flatMap(({ toolCalls = [] }) => toolCalls);
    expect(calls.map(({ toolName, isError }) => [toolName, isError === true])).toEqual([
      ["Read", false],
      ["Read", true],
      ["MultiEdit", false],
      ["Bash", false],
      ["Write", false],
    ]);
  });
});

describe("a sub-agent", () => {
  const env: AgentEnv = { ...recorded, home: join(import.meta.dirname, "fixtures/subagent-home") };
  const [ASKED, FORKED, FAILED] = ["fa766c78", "4717d437", "b613ab7e"];
  const idOf = (start: string): string =>
    Array.from(cn.history.listSessions(env, new ReadNotes()), ({ sessionId }) => sessionId).find((id) =>
      id.startsWith(start),
    )!;
  const open = (start: string) => readSession(cn.history, env, idOf(start)).reader;
  const bill = (start: string) =>
    Array.from(open(start).usage(), ({ key, tokens: { input, cached, output } }) => [
      key.replace(/^\S+ /, ""),
      input,
      cached,
      output,
    ]);

  it("is a call with its report, and billed by the session's total", () => {
    const calls = [...open(ASKED).messages()].flatMap(({ toolCalls = [] }) => toolCalls);
    expect(calls).toMatchObject([
      {
        toolName: "Subagent",
        input: { subagent_name: "counter", prompt: "Count the files in src and report the number." },
        output: "There is 1 file in src.\n<task_metadata>\nstatus: completed\n</task_metadata>",
      },
    ]);
    // Its two requests: 1028 and 512 cached, 1035 and 515 cached.
    expect(bill(ASKED)).toEqual([
      ["removed", 1540 + 1550, 0, 24 + 25],
      ["0", 1007, 503, 21],
      ["1", 1021, 509, 23],
      ["2", 1042, 518, 26],
    ]);
  });

  it("of a fork does not make a copied answer the fork's own", async () => {
    expect(bill(FORKED)).toEqual([
      ["removed", 1580, 0, 28],
      ["0", 1049, 521, 27],
      ["1", 1063, 527, 29],
    ]);
    const rows = await clientOf(env.home).sessions.list("cn");
    const forks = rows.map(({ sessionId, forkedFrom }) => [sessionId.slice(0, 8), forkedFrom?.slice(0, 8)]);
    expect(Object.fromEntries(forks)).toEqual({ [ASKED]: undefined, [FORKED]: ASKED, [FAILED]: undefined });
  });

  it("fails without a terminal, and costs nothing", () => {
    const failed = [...open(FAILED).messages()].find(({ role }) => role === "tool");
    expect(failed).toMatchObject({ content: expect.stringContaining("No active session") as string });
    expect(failed!.toolResult).toMatchObject({ isError: true });
    expect(bill(FAILED)).toEqual([
      ["0", 1007, 503, 21],
      ["1", 1014, 506, 22],
    ]);
  });
});

describe("two sessions that say the same", () => {
  const SHORT = "4fe7457d-efd4-4cc2-b807-4e6f047636e8";
  const short = readFileSync(join(HOME, `.continue/sessions/${SHORT}.json`), "utf8");

  it("are no fork of each other, and both cost", async () => {
    const env = madeHome();
    const ids = ["one", "two"];
    for (const id of ids) writeIn(env, `.continue/sessions/${id}.json`, short.replaceAll(SHORT, id));
    const list = ids.map((sessionId, index) => ({ sessionId, dateCreated: `${1794946449613 + index}` }));
    writeIn(env, ".continue/sessions/sessions.json", JSON.stringify(list));
    const { sessions } = clientOf(env.home);
    const rows = await sessions.list("cn");
    expect(rows.map(({ forkedFrom, cost }) => [forkedFrom, cost?.totalUsd])).toEqual([
      [undefined, 0.0025215],
      [undefined, 0.0025215],
    ]);
  });
});

describe("a document of an editor", () => {
  it("has its thoughts, the outputs of its tools and its folder", () => {
    const env = madeHome();
    const call = { id: "c1", function: { name: "read_file", arguments: '{"path":"a.js"}' } };
    const history = [
      { message: { role: "user", content: "Read a.js" } },
      { message: { role: "thinking", content: "It wants a.js." } },
      { message: { role: "assistant", content: "", toolCalls: [call] }, toolCallState: { toolCallId: "c1" } },
      { message: { role: "tool", content: "let x;", toolCallId: "c1" } },
      { message: { role: "tool", content: "of a lost call", toolCallId: "c0" } },
      { message: { role: "assistant", content: "It has x." } },
    ];
    const document = { workspaceDirectory: "file:///home/user/my%20shop", history };
    writeIn(env, ".continue/sessions/e.json", JSON.stringify(document));
    const notes = new ReadNotes();
    const reader = readSoleSession(cn.history, env, notes)!;
    expect(reader.head.cwd).toBe("/home/user/my shop");
    expect([...reader.messages()]).toMatchObject([
      { role: "user" },
      { role: "assistant", thinking: "It wants a.js.", toolCalls: [{ toolName: "read_file", output: "let x;" }] },
      { role: "tool", content: "let x;", toolResult: { toolCallId: "c1", toolName: "read_file" } },
      { role: "tool", content: "of a lost call" },
      { role: "assistant", content: "It has x." },
    ]);
    expect(notes.unknownTypes.size).toBe(0);
  });
});

describe("a damaged document", () => {
  let env: AgentEnv;
  let notes: ReadNotes;
  const text = readFileSync(join(HOME, FILE), "utf8");
  const put = (content: string): void => void writeIn(env, FILE, content);
  const told = () => toldBy(readSoleSession(cn.history, env, notes)) as { messages: { content: string }[] };

  beforeEach(() => {
    env = madeHome();
    notes = new ReadNotes();
  });

  it("that was cut off gives the messages before the cut", () => {
    put(text.slice(0, text.indexOf("Thanks. Which files")));
    expect(told().messages.at(-1)!.content).toBe("Done: total() now applies the discount.");
    expect(notes.damagedLines).toBe(1);
    expect(listedHeads(cn.history, env, notes)).toMatchObject([
      { title: "Read the cart and add a discount to total().", cwd: "/home/user/dev/shop-web" },
    ]);
  });

  it("with a byte order mark, or on one line, reads like the original", () => {
    put(text);
    const { messages } = told();
    put(`\ufeff${text}`);
    expect(told().messages).toEqual(messages);
    put(JSON.stringify(JSON.parse(text)));
    expect(told().messages).toEqual(messages);
  });

  it("that grows is read on", () => {
    const document = JSON.parse(text) as { history: unknown[] };
    put(JSON.stringify({ ...document, history: document.history.slice(0, 3) }));
    const before = told().messages.length;
    put(text);
    expect(told().messages.length).toBeGreaterThan(before);
  });

  it.each(["not a session", "{ broken", "[]"])("with nothing to read is an error: %j", (content) => {
    put(content);
    expect(() => told()).toThrow(AgentMuxError);
    expect(listedHeads(cn.history, env, notes)).toEqual([undefined]);
    expect(notes.skipped[0]!.reason).toContain("can be read");
  });

  it("with a broken list has no date of its beginning", () => {
    put(text);
    writeIn(env, ".continue/sessions/sessions.json", "{ broken");
    expect(listedHeads(cn.history, env, notes)[0]).not.toHaveProperty("createdMs");
  });
});
