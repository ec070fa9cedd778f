import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { madeHome, writeIn } from "../../../test/support/agents/made-home.ts";
import { listedHeads, readSession, readSoleSession, toldBy } from "../../../test/support/agents/reading.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { hooks } from "./hooks.ts";
import qwen from "./index.ts";

const HOME = join(import.meta.dirname, "fixtures/home");
const recorded: AgentEnv = { home: HOME, platform: "linux", vars: {} };
const PARENT = "ea8777fd-8288-46fc-b686-23ec5b95703e";
const FORK = "fdc5e91b-d221-4a95-aa62-e74aae1cd842";
const TOOLS = "7df6f8a5-c718-4493-b88b-698d7e86b2e6";
const CHAT = `.qwen/projects/-home-user-dev-shop-web/chats/${TOOLS}.jsonl`;

conformance(qwen, { home: HOME, sessions: 8 });

describe("a recorded session", () => {
  it("keeps what was taken back aside, and its cost", () => {
    const { reader } = readSession(qwen.history, recorded, PARENT);
    const aside = [...reader.aside!().messages()];
    expect(aside.map(({ role, content }) => [role, content])).toEqual([
      ["user", "After the interruption."],
      ["assistant", "I am here."],
    ]);
    expect(reader.aside!().count).toBe(2);
  });

  it("shows the summary of a compression, and what was before it", () => {
    const { reader } = readSession(qwen.history, recorded, PARENT);
    const [summary] = [...reader.messages()].filter(({ role }) => role === "system");
    expect(summary!.content).toContain("Summary: x is 1, there is no y.");
  });

  it("bills an interrupted answer as a lower bound", () => {
    const { reader } = readSession(qwen.history, recorded, PARENT);
    expect([...reader.usage()].filter(({ lowerBound }) => lowerBound)).toHaveLength(1);
  });

  it("of a fork is inherited up to the fork, and paid by the original", () => {
    const { head, reader } = readSession(qwen.history, recorded, FORK);
    expect(head).toMatchObject({ forkedFrom: PARENT, title: "My named session" });
    const usage = [...reader.usage()];
    expect(usage.filter(({ copied }) => !copied)).toHaveLength(2);
    expect([...reader.messages()].filter(({ inherited }) => !inherited).map(({ content }) => content)).toEqual([
      "In the fork.",
      "This is the fork.",
      "Write a long story.",
      "terminated (cause: UND_ERR_SOCKET: other side closed)",
    ]);
  });

  it("has its sub-agent's transcript and requests", () => {
    const { reader } = readSession(qwen.history, recorded, "246ec6d2-566c-4966-935d-1de56857cecd");
    expect(reader.subagents!()).toMatchObject([
      {
        id: "general-purpose-call_10_0",
        label: "Count files",
        toolCallId: "call_10_0",
        model: "qwen3-coder-plus",
        messages: [{ role: "user" }, { role: "assistant", content: "The helper found 1 file." }],
      },
    ]);
    expect([...reader.usage()].map(({ subagent }) => subagent)).toEqual([
      undefined,
      undefined,
      "general-purpose-call_10_0",
      undefined,
    ]);
  });

  it("says which tool failed", () => {
    const { reader } = readSession(qwen.history, recorded, TOOLS);
    const calls = [...reader.messages()].flatMap(({ toolCalls = [] }) => toolCalls);
    expect(calls.map(({ toolName, isError }) => [toolName, isError === true])).toEqual([
      ["read_file", false],
      ["read_file", true],
      ["edit", false],
      ["run_shell_command", true],
      ["write_file", false],
    ]);
  });
});

describe("a damaged chat", () => {
  let env: AgentEnv;
  let notes: ReadNotes;
  const lines = readFileSync(join(HOME, CHAT), "utf8").trimEnd().split("\n");
  const put = (text: string): void => void writeIn(env, CHAT, text);
  const told = (): unknown => toldBy(readSoleSession(qwen.history, env, notes));
  const whole = (): unknown => toldBy(readSession(qwen.history, recorded, TOOLS).reader);

  beforeEach(() => {
    env = madeHome();
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

  it("without a record in the middle loses only that one", () => {
    put(lines.filter((_, at) => at !== 1).join("\n"));
    expect(told()).toEqual(whole());
    put(lines.filter((_, at) => at !== 3).join("\n"));
    const { messages } = told() as { messages: { role: string }[] };
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(2);
  });

  it("that grows is read on", () => {
    put(`${lines.slice(0, 10).join("\n")}\n{"uuid":"x","par`);
    const before = told() as { messages: unknown[] };
    put(lines.join("\n"));
    const after = told() as { messages: unknown[] };
    expect(after.messages.length).toBeGreaterThan(before.messages.length);
    expect(after).toEqual(whole());
  });

  it("bills a reply whose note is missing", () => {
    put(lines.filter((line) => !line.includes('"qwen-code.api_response"')).join("\n"));
    const { usage } = told() as { usage: { tokens: object }[] };
    expect(usage).toHaveLength(6);
    expect(usage[0]!.tokens).toMatchObject({ input: 1021, cached: 509, output: 23 });
  });

  it.each(["not a chat\nat all\n", '{"hello":"world"}\n'])("with nothing to read is an error: %j", (text) => {
    put(text);
    expect(() => told()).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }) as Error);
    expect(listedHeads(qwen.history, env, notes)).toEqual([undefined]);
    expect(notes.skipped).toEqual([{ path: join(env.home, CHAT), reason: "holds no readable record" }]);
  });

  it("in the archive folder is archived", () => {
    cpSync(join(HOME, CHAT), writeIn(env, CHAT.replace("/chats/", "/chats/archive/"), ""));
    expect(listedHeads(qwen.history, env, notes)).toMatchObject([{ archived: true }]);
  });
});

it("shows in place of its input line that it still starts", () => {
  const started = ["────", ">   Type your message or @path/to/file", "────", "  ➜ shop · qwen3-coder-plus"];
  const quoted = ["  ◆︎ It shows:", "  ⠋ Initializing...", ...started];
  const screens = [["  ➜ shop · qwen3-coder-plus", "  ⠋ Initializing...", ""], started, quoted, [""]];
  expect(screens.map((screen) => hooks.isStarting!(screen))).toEqual([true, false, false, false]);
});
