import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { madeHome, writeIn } from "../../../test/support/agents/made-home.ts";
import { listedHeads, readSession, readSoleSession, toldBy } from "../../../test/support/agents/reading.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import cn from "./index.ts";

const HOME = join(import.meta.dirname, "fixtures/home");
const recorded: AgentEnv = { home: HOME, platform: "linux", vars: {} };
const PARENT = "539d19e8-746b-4e01-b965-9abb71575b94";
const FORK = "ec4cd7eb-1c8d-4410-baf6-31dabf898a81";
const TOOLS = "6129953a-3704-4114-a619-c05405bd3be1";
const FILE = `.continue/sessions/${TOOLS}.json`;

conformance(cn, { home: HOME, sessions: 5 });

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

  it("and its fork share the requests that were copied", () => {
    const keys = (id: string): string[] =>
      Array.from(readSession(cn.history, recorded, id).reader.usage(), ({ key }) => key);
    expect(keys(FORK).slice(0, 2)).toEqual(keys(PARENT).slice(1));
    expect(keys(FORK)).toHaveLength(3);
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
