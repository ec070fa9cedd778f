import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { madeHome, writeIn } from "../../../test/support/agents/made-home.ts";
import { listedHeads, readSession, readSoleSession, toldBy } from "../../../test/support/agents/reading.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import kimi from "./index.ts";

const HOME = join(import.meta.dirname, "fixtures/home");
const recorded: AgentEnv = { home: HOME, platform: "linux", vars: {} };
const PARENT = "session_4a148e24-8af3-4c23-9638-70df2babcf38";
const FORK = "session_5926cc03-2d7a-4cd2-9c1f-2bd7f34a27be";
const TOOLS = "session_312c0586-031b-4550-bc5e-026c45c36936";
const FOLDER = `.kimi-code/sessions/wd_shop-web_fdb5d8928a61/${TOOLS}`;
const LOG = `${FOLDER}/agents/main/wire.jsonl`;

conformance(kimi, { home: HOME, sessions: 8 });

const said = (messages: Iterable<{ role: string; content: string }>): [string, string][] =>
  Array.from(messages, ({ role, content }) => [role, content]);

describe("a recorded session", () => {
  it("keeps what was undone aside, and its cost", () => {
    const { reader } = readSession(kimi.history, recorded, PARENT);
    expect(reader.aside!().count).toBe(2);
    expect(said(reader.aside!().messages())).toEqual([
      ["user", "After the interruption."],
      ["assistant", "I am here."],
    ]);
    expect([...reader.usage()].map(({ tokens }) => tokens.input)).toContain(1028);
  });

  it("shows the summary of a compaction, and what was before it", () => {
    const { reader } = readSession(kimi.history, recorded, PARENT);
    expect(said(reader.messages()).filter(([role]) => role === "system")).toEqual([
      ["system", "Summary: x is 1, there is no y."],
    ]);
  });

  it("bills an interrupted answer as a lower bound", () => {
    const { reader } = readSession(kimi.history, recorded, PARENT);
    expect([...reader.usage()].filter(({ lowerBound }) => lowerBound)).toHaveLength(1);
  });

  it("of a fork is inherited up to the fork, and paid by the original", () => {
    const { head, reader } = readSession(kimi.history, recorded, FORK);
    expect(head).toMatchObject({ forkedFrom: PARENT, title: "Fork: My named session" });
    expect([...reader.usage()].filter(({ copied }) => !copied)).toHaveLength(1);
    expect(said([...reader.messages()].filter(({ inherited }) => !inherited))).toEqual([
      ["user", "In the fork."],
      ["assistant", "This is the fork."],
      ["user", "Write a long story."],
    ]);
  });

  it("has its sub-agent's transcript and requests", () => {
    const { reader } = readSession(kimi.history, recorded, "session_56c2b1bf-1de5-4db9-b0d4-5582771ba313");
    expect(reader.subagents!()).toMatchObject([
      {
        id: "agent-0",
        label: "Count files",
        toolCallId: "call_8_0",
        model: "kimi-k2",
        messages: [
          { role: "user", content: "Count the files in src and report the number." },
          { role: "assistant", content: "There is 1 file in src." },
        ],
      },
    ]);
    expect([...reader.usage()].map(({ subagent }) => subagent)).toEqual([undefined, undefined, "agent-0"]);
  });

  it("says which tool failed, and how long each took", () => {
    const { reader } = readSession(kimi.history, recorded, TOOLS);
    const calls = [...reader.messages()].flatMap(({ toolCalls = [] }) => toolCalls);
    expect(calls.map(({ toolName, isError }) => [toolName, isError === true])).toEqual([
      ["Read", false],
      ["Read", true],
      ["Edit", false],
      ["Bash", true],
      ["Write", false],
    ]);
    expect(calls.every(({ durationMs }) => durationMs !== undefined)).toBe(true);
  });

  it("that was refused says why", () => {
    const { reader } = readSession(kimi.history, recorded, "session_01547c19-349e-4f1d-8028-7fdd6cceea69");
    expect(said(reader.messages())).toEqual([
      ["user", "This request will be refused."],
      ["system", "400 The request was refused."],
    ]);
    expect([...reader.usage()]).toEqual([]);
  });
});

describe("a damaged log", () => {
  let env: AgentEnv;
  let notes: ReadNotes;
  const lines = readFileSync(join(HOME, LOG), "utf8").trimEnd().split("\n");
  const put = (text: string): void => void writeIn(env, LOG, text);
  const told = () => toldBy(readSoleSession(kimi.history, env, notes)) as { messages: unknown[]; usage: unknown[] };
  const whole = () => toldBy(readSession(kimi.history, recorded, TOOLS).reader);

  beforeEach(() => {
    env = madeHome({ [`${FOLDER}/state.json`]: readFileSync(join(HOME, FOLDER, "state.json"), "utf8") });
    notes = new ReadNotes();
  });

  it.each([
    ["CRLF", lines.join("\r\n")],
    ["a byte order mark", `\ufeff${lines.join("\n")}`],
    ["NUL blocks and blank lines", lines.join(`\n\n${"\0".repeat(700)}`)],
    ["garbage between its lines", lines.join("\nno record\n")],
  ])("with %s reads like the original", (_, text) => {
    put(text);
    expect(told()).toEqual(whole());
  });

  it("that grows is read on", () => {
    put(`${lines.slice(0, 25).join("\n")}\n{"type":"context.app`);
    const before = told().messages.length;
    put(lines.join("\n"));
    expect(told().messages.length).toBeGreaterThan(before);
    expect(told()).toEqual(whole());
  });

  it("without the beginning of an answer keeps the answer", () => {
    put(lines.filter((line) => !line.includes('"step.begin"')).join("\n"));
    expect(told().messages).toHaveLength((whole() as { messages: unknown[] }).messages.length);
  });

  it("without its calls keeps their results", () => {
    put(lines.filter((line) => !line.includes('"type":"tool.call"')).join("\n"));
    const results = (all: unknown): unknown[] =>
      (all as { messages: { role: string; content: string }[] }).messages
        .filter(({ role }) => role === "tool")
        .map(({ content }) => content);
    expect(results(told())).toEqual(results(whole()));
    expect(results(told())).toHaveLength(5);
  });

  it("that is a directory is noted", () => {
    writeIn(env, `${LOG}/x`, "");
    expect(listedHeads(kimi.history, env, notes)).toEqual([]);
    expect(notes.skipped).toEqual([{ path: join(env.home, LOG), reason: "is a directory" }]);
  });

  it("with a broken state keeps its conversation", () => {
    put(lines.join("\n"));
    writeIn(env, `${FOLDER}/state.json`, "{ broken");
    expect(listedHeads(kimi.history, env, notes)).toMatchObject([
      { title: "Read the cart and add a discount to total()." },
    ]);
    expect(told().messages).toEqual((whole() as { messages: unknown[] }).messages);
  });

  it("with records of unknown kinds is read on, and they are named", () => {
    put(`${lines.join("\n")}\n{"type":"context.poem","time":1794946338804}\n`);
    expect(told()).toEqual(whole());
    expect([...notes.unknownTypes.keys()]).toEqual(["context.poem"]);
  });

  it.each(["not a log\nat all\n", '{"hello":"world"}\n'])("with nothing to read is an error: %j", (text) => {
    put(text);
    expect(() => told()).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }) as Error);
    expect(listedHeads(kimi.history, env, notes)).toEqual([undefined]);
    expect(notes.skipped).toEqual([{ path: join(env.home, LOG), reason: "holds no readable record" }]);
  });
});
