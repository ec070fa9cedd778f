import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { essence, replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { AgentEnv, SessionReader } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { grokEvents } from "./events.ts";
import grok from "./index.ts";
import { projectFolder } from "./locations.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const HOME = join(FIXTURES, "home");
const { sessions } = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as {
  sessions: { scenario: string; sessionId: string; cwd: string }[];
};

conformance(grok, { home: HOME, sessions: sessions.length });

function copiedHome(): AgentEnv {
  const { path } = tempHome();
  cpSync(HOME, path, { recursive: true });
  return { home: path, platform: "linux", vars: {} };
}

function place(env: AgentEnv, scenario: string, file = ""): string {
  const { sessionId, cwd } = sessions.find((session) => session.scenario === scenario)!;
  return join(env.home, ".grok/sessions", projectFolder(cwd), sessionId, file);
}

function open(env: AgentEnv, scenario: string, notes = new ReadNotes()): SessionReader {
  const { sessionId } = sessions.find((session) => session.scenario === scenario)!;
  const source = grok.history.listSessions(env, notes).find((listed) => listed.sessionId === sessionId)!;
  return grok.history.read(source, env, notes)!;
}

describe("a session of Grok Build", () => {
  it("names what failed, and keeps the results beside their calls", () => {
    const messages = [...open(copiedHome(), "02-tools-resume").messages()];
    expect(messages[1]).toMatchObject({
      content: "I will read both files.",
      toolCalls: [{ toolCallId: "call_5_0" }, { toolCallId: "call_5_1", isError: true }],
    });
    expect(messages[2]?.toolResult).toMatchObject({ toolCallId: "call_5_0", toolName: "read_file" });
    expect(messages[3]?.content).toBe("Error: /home/user/dev/shop-web/src/missing.js does not exist.");
    expect(messages[4]?.thinking).toBe("One file is missing. I edit the other.");
    expect(messages.find(({ toolResult }) => toolResult?.toolName === "run_terminal_command")?.content).toContain(
      "exit: 3",
    );
  });

  it("keeps a picture with its prompt", () => {
    const [prompt] = open(copiedHome(), "08-image").messages();
    expect(prompt).toMatchObject({ role: "user", images: [{ mediaType: "image/png" }] });
  });

  it("shows why a turn failed, and has no bill for it", () => {
    const reader = open(copiedHome(), "05-refused");
    expect([...reader.messages()].at(-1)).toMatchObject({
      role: "system",
      content: expect.stringContaining("The request was refused.") as string,
    });
    expect([...reader.usage()]).toEqual([]);
  });

  it("takes the sub-agent's tokens out of the turn that includes them, while its file is there", () => {
    const env = copiedHome();
    const input = (): number =>
      [...open(env, "03-subagent").usage()].reduce((sum, { tokens }) => sum + tokens.input, 0);
    const own = input();
    rmSync(place(env, "03-subagent, the helper"), { recursive: true });
    expect(input() - own).toBe(1119);
  });

  it("takes each turn of a sub-agent out of one turn only, however often it ends", () => {
    const env = copiedHome();
    const own = [...open(env, "03-subagent").usage()];
    const path = place(env, "03-subagent", "updates.jsonl");
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const [end, turn] = ["subagent_finished", "turn_completed"].map((kind) =>
      lines.find((line) => line.includes(`"sessionUpdate":"${kind}"`))!,
    );
    const laterTurn = turn!
      .replace("46537d90", "56537d90")
      .replace('"agentTimestampMs":17949', '"agentTimestampMs":17950');
    writeFileSync(path, [...lines, end, laterTurn, ""].join("\n"));
    const [first, second] = open(env, "03-subagent").usage();
    expect(first).toEqual(own[0]);
    expect(second?.tokens.input).toBe(own[0]!.tokens.input + 1119);
    writeFileSync(path, [...lines.flatMap((line) => (line === end ? [end, end] : line)), ""].join("\n"));
    expect([...open(env, "03-subagent").usage()]).toEqual(own);
    const child = place(env, "03-subagent, the helper", "updates.jsonl");
    const childTurn = readFileSync(child, "utf8")
      .split("\n")
      .find((line) => line.includes("turn_completed"))!;
    appendFileSync(child, `${childTurn.replace('"agentTimestampMs":17949', '"agentTimestampMs":17950')}\n`);
    expect([...open(env, "03-subagent").usage()]).toEqual(own);
  });

  it("knows a sub-agent that works in another directory", () => {
    const env = copiedHome();
    const own = [...open(env, "03-subagent").usage()];
    const helper = place(env, "03-subagent, the helper");
    const elsewhere = join(env.home, ".grok/sessions", projectFolder("/home/user/dev/shop-api-wt"), basename(helper));
    mkdirSync(dirname(elsewhere));
    renameSync(helper, elsewhere);
    expect([...open(env, "03-subagent").usage()]).toEqual(own);
    const [listed] = grok.history.listSessions(env, new ReadNotes(), "/home/user/dev/shop-api-wt");
    expect(listed?.locator).toMatchObject({ parentId: basename(place(env, "03-subagent")) });
  });
});

describe("a session that was rewound", () => {
  const env: AgentEnv = { home: join(FIXTURES, "branches-home"), platform: "linux", vars: {} };
  const open = (id: string, notes = new ReadNotes()): SessionReader => {
    const source = grok.history.listSessions(env, notes).find(({ sessionId }) => sessionId.startsWith(id))!;
    return grok.history.read(source, env, notes)!;
  };
  const said = (messages: Iterable<{ content: string }>): string[] => [...messages].map(({ content }) => content);
  const inputs = (reader: SessionReader, copied = false): number[] =>
    [...reader.usage()].filter((record) => (record.copied ?? false) === copied).map(({ tokens }) => tokens.input);

  const [x, y, z] = [
    "First question: what is x?",
    "Second question: what is y?",
    "Third question: what is z?",
  ] as const;
  const [w, v] = ["Instead: what is w?", "Last question: what is v?"] as const;
  const compacted = "The conversation was compacted.";

  it("shows what is left of it, and keeps the rest aside and billed", () => {
    const notes = new ReadNotes();
    const reader = open("01a1ee99", notes);
    expect(said(reader.messages())).toEqual([
      x,
      "x is 1.",
      y,
      "y is 2.",
      z,
      "z is 4 now.",
      w,
      "w is 5.",
      compacted,
      v,
      "v is 6.",
    ]);
    expect(said(reader.aside!().messages())).toEqual([z, "z is 3."]);
    expect(reader.aside!().count).toBe(2);
    expect(inputs(reader)).toEqual([1014, 1028, 1049, 1070, 1091, 1119]);
    expect([...notes.unknownTypes]).toEqual([]);
  });

  it("may be rewound again, to an earlier prompt", () => {
    const reader = open("01a1ee92");
    expect(said(reader.messages())).toEqual([x, "x is 1.", w, "w is 5.", v, "v is 6."]);
    expect(said(reader.aside!().messages())).toEqual([y, "y is 2.", z, "z is 3.", z, "z is 4 now."]);
    expect(inputs(reader)).toHaveLength(6);
  });

  it("is rewound in a fork too, before its own beginning and a summary", () => {
    const reader = open("01a1eea6");
    expect(reader.head.forkedFrom).toMatch(/^01a1ee99/);
    expect([...reader.messages()].map(({ content, inherited }) => [content, inherited ?? false])).toEqual([
      ...[x, "x is 1.", y, "y is 2.", z, "z is 4 now."].map((text) => [text, true]),
      ["Again: what is t?", false],
      ["t is 8.", false],
    ]);
    const fork = "In the fork: what is u?";
    expect(said(reader.aside!().messages())).toEqual([
      z,
      "z is 3.",
      w,
      "w is 5.",
      compacted,
      v,
      "v is 6.",
      fork,
      "u is 7.",
    ]);
    expect(inputs(reader)).toEqual([1140, 1154]);
    expect(inputs(reader, true)).toEqual(inputs(open("01a1ee99")));
  });
});

it("keeps an interrupted answer, whose bill is a lower bound", () => {
  const env: AgentEnv = { home: join(FIXTURES, "live-home"), platform: "linux", vars: {} };
  const [source] = grok.history.listSessions(env, new ReadNotes());
  const reader = grok.history.read(source!, env, new ReadNotes())!;
  expect([...reader.messages()].slice(-5).map(({ role, content }) => [role, content])).toEqual([
    ["user", "Tell a long story."],
    ["assistant", "A very long story begins "],
    ["user", "Fail."],
    ["system", expect.stringContaining("The request was refused.")],
    // Killed in mid-answer.
    ["user", "Write a long story."],
  ]);
  const bills = [...reader.usage()].map(({ model, tokens, lowerBound }) => [model, tokens.input, lowerBound ?? false]);
  expect(bills).toEqual(
    [
      [1014, false],
      [1028 + 1035, false],
      [1056 + 1063, false],
      [0, true],
    ].map((bill) => ["grok-code-fast-1", ...bill]),
  );
});

describe("a damaged session of Grok Build", () => {
  it("loses only the damaged lines", () => {
    const env = copiedHome();
    appendFileSync(place(env, "02-tools-resume", "updates.jsonl"), '{"timestamp":17949\n{"params":{}}\n\0\0\n');
    const notes = new ReadNotes();
    expect([...open(env, "02-tools-resume", notes).messages()]).toEqual([
      ...open(copiedHome(), "02-tools-resume").messages(),
    ]);
    expect(notes.damagedLines).toBe(2);
  });

  it("keeps the result of a call whose record is lost", () => {
    const env = copiedHome();
    const path = place(env, "02-tools-resume", "updates.jsonl");
    const whole = [...open(env, "02-tools-resume").messages()];
    const lines = readFileSync(path, "utf8").split("\n");
    const without = (lost: (line: string) => boolean) => {
      writeFileSync(path, lines.filter((line) => !lost(line)).join("\n"));
      return [...open(env, "02-tools-resume").messages()];
    };
    const namesCall = (line: string): boolean => line.includes('"toolCallId":"call_5_0"') && line.includes("x.ai/tool");
    const byUpdate = without((line) => namesCall(line) && line.includes('"sessionUpdate":"tool_call"'));
    expect(byUpdate.map(({ toolResult }) => toolResult)).toEqual(whole.map(({ toolResult }) => toolResult));
    expect(without(namesCall).find(({ toolResult }) => toolResult?.toolCallId === "call_5_0")).toMatchObject({
      content: whole[2]!.content,
      toolResult: { toolName: "tool" },
    });
  });

  it("without its summary has the first prompt as title and the folder's directory", () => {
    const env = copiedHome();
    rmSync(place(env, "02-tools-resume", "summary.json"));
    expect(open(env, "02-tools-resume").head).toMatchObject({
      title: "Read the cart and add a discount to total().",
      cwd: "/home/user/dev/shop-web",
    });
  });
});

const STREAMS = join(FIXTURES, "stream");
const stream = () => grokEvents({ cwd: "/home/user/dev/shop-web", session: { kind: "new" }, now: () => 0 }, "an-id");

streamConformance(
  "Grok Build",
  readdirSync(STREAMS).map((name) => ({ name, path: join(STREAMS, name) })),
  stream,
);

describe("the output of Grok Build", () => {
  it("has the failing tool, the changed file, the exit code and the tokens of each request", () => {
    const events = essence(replay(stream(), join(STREAMS, "02-tools-resume.jsonl")));
    expect(events[0]).toEqual({ type: "session_start", sessionId: "an-id", resumed: false });
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_error", toolCallId: "call_5_1" }));
    expect(events).toContainEqual(expect.objectContaining({ type: "file_patch" }));
    expect(events).toContainEqual({ type: "shell_exit", exitCode: 3, durationMs: 0 });
    expect(events.filter(({ type }) => type === "token_usage")).toHaveLength(5);
  });

  it("has no words of a sub-agent in the agent's answers", () => {
    const events = replay(stream(), join(STREAMS, "03-subagent.jsonl"));
    expect(events.flatMap((event) => (event.type === "message_stop" ? event.text : []))).toEqual([
      "I ask a helper.",
      "The helper found 1 file.",
    ]);
    expect(events).toContainEqual(expect.objectContaining({ type: "subagent_result" }));
    expect(events.filter(({ type }) => type === "token_usage")).toHaveLength(3);
  });

  it("says that the service refused", () => {
    expect(replay(stream(), join(STREAMS, "05-refused.jsonl"))).toContainEqual(
      expect.objectContaining({ type: "error", code: "AGENT_CRASH", recoverable: false }),
    );
  });
});

describe("the title of the terminal", () => {
  it.each([
    ["⠙ - Waiting for response… - A title - grok", "working"],
    ["⠙ - Running: Ask: Which colour shall the mu… - A title - grok", "waiting"],
    ["⠙ - Running: ask_user_question - A title - grok", undefined],
    ["⠙ - Running stop hook… - A title - grok", undefined],
    ["⚠ Action Required - ⠹ - Write… - Say hello. - grok", "permission"],
    ["Say hello. - grok", "idle"],
    ["grok", undefined],
  ])("%s", (title, state) => {
    expect(grok.hooks.titleState!(title)?.state).toBe(state);
  });
});
