import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionMessage } from "../../core/session.ts";
import { filesBelow } from "../../lib/fs/directory.ts";
import { readLines } from "../../lib/json/jsonl.ts";
import type { AgentEnv, SessionReader, UsageRecord } from "../adapter.ts";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { ReadNotes } from "../read-notes.ts";
import { isIgnored, parseEvent } from "./format.ts";
import copilot from "./index.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

interface Tokens {
  input: number;
  cachedInput: number;
  cacheWrite: number;
  output: number;
  thinking: number;
}

interface RecordedSession {
  scenario: string;
  sessionId: string;
  home: string;
  cliVersion: string;
  expected: {
    firstPrompt: string;
    userPromptsSent: string[];
    userPromptsVisible?: string[];
    replyTexts: string[];
    toolCalls: string[];
    models: string[];
    modelReplies: number;
    tokensServed: Tokens;
    tokensServedInclSubAgents?: Tokens;
    ownTokensServed?: Tokens;
    sideCalls?: { usage: { in: number; out: number } }[];
    subAgents?: { prompt: string; modelReplies: number; toolCalls: string[]; tokensServed: Tokens }[];
    cwd: string;
    title?: string;
    startTime?: string;
    forkOf?: string;
    note?: string;
  };
  recorded: { toolCalls?: [string, boolean | null][]; userMessages?: number; assistantMessages?: number };
}

const manifest = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as {
  sessions: RecordedSession[];
  synthetic: { path: string; sessionId: string; expected: { user: number; assistant: number } }[];
};

function envOf(home: string): AgentEnv {
  return { home: join(FIXTURES, home), platform: "linux", vars: {} };
}

function open(home: string, sessionId: string): SessionReader {
  const env = envOf(home);
  const source = copilot.history.listSessions(env, new ReadNotes()).find((item) => item.sessionId === sessionId);
  if (source === undefined) throw new Error(`${sessionId} is not listed in ${home}`);
  const reader = copilot.history.read(source, env, new ReadNotes());
  if (reader === undefined) throw new Error(`${sessionId} has no conversation`);
  return reader;
}

/** Sums as in the manifest: input includes the cache; output includes thinking, since some versions do not separate them. */
function sumOf(usage: Iterable<UsageRecord>): object {
  const sum = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 };
  for (const { tokens } of usage) {
    sum.input += tokens.input + tokens.cached + tokens.cacheWrite;
    sum.cachedInput += tokens.cached;
    sum.cacheWrite += tokens.cacheWrite;
    sum.output += tokens.output;
  }
  return sum;
}

function served({ expected }: RecordedSession): object {
  const { input, cachedInput, cacheWrite, output, thinking } =
    expected.ownTokensServed ?? expected.tokensServedInclSubAgents ?? expected.tokensServed;
  const side = expected.sideCalls ?? [];
  return {
    input: side.reduce((sum, call) => sum + call.usage.in, input),
    cachedInput,
    cacheWrite,
    output: side.reduce((sum, call) => sum + call.usage.out, output + thinking),
  };
}

function contents(messages: readonly SessionMessage[], role: string): string[] {
  return messages.filter((message) => message.role === role).map((message) => message.content);
}

/** Versions that wrote no token counts in these recordings. */
const UNCOUNTED = new Set(["0.0.340", "0.0.370"]);
/** Not on disk: 0.0.340 writes neither model nor directory, and one session touched no file. */
const WITHOUT_MODEL = new Set(["0.0.340"]);
const WITHOUT_CWD = new Set(["a16cff5b-029a-4ee3-bc8f-21953229e8bd"]);

/** Start times missing from the manifest, taken from the files. */
const BEGUN: Record<string, string> = {
  "5b728130-7a21-41d4-9dff-1db4fac2551a": "2026-08-01T10:00:02.173Z",
  "a16cff5b-029a-4ee3-bc8f-21953229e8bd": "2026-08-03T10:00:02.572Z",
  "8defa78f-0468-4c46-8fe3-1c2c128eefb2": "2026-08-11T10:00:03.818Z",
  "cb3a2956-7869-4059-b350-f1d5f7026d0f": "2026-08-29T10:00:04.313Z",
};

/** Missing from the file: a rewound turn, and a run that 0.0.370 lost on exit. */
const LOST: Record<string, { prompts: number; texts: string[] }> = {
  "09daea18-1250-4de4-9961-e187107df798": { prompts: 0, texts: ["You could test negative quantities."] },
  "8defa78f-0468-4c46-8fe3-1c2c128eefb2": { prompts: 1, texts: ["Sie exportiert total() — fünf Zeilen."] },
};

describe("the recorded sessions", () => {
  for (const session of manifest.sessions) {
    const { scenario, sessionId, home, cliVersion, expected, recorded } = session;
    const name = `${scenario} ${sessionId.slice(0, 8)} (${cliVersion})`;
    const lost = LOST[sessionId] ?? { prompts: 0, texts: [] };

    it(`${name} shows the conversation as it was left`, () => {
      const messages = [...open(home, sessionId).messages()];
      const prompts = expected.userPromptsVisible ?? expected.userPromptsSent;
      expect(contents(messages, "user")).toEqual(prompts.slice(0, prompts.length - lost.prompts));
      const replies = messages.filter((message) => message.role === "assistant");
      expect(replies).toHaveLength(expected.modelReplies - lost.texts.length);
      const texts = replies.map((reply) => reply.content.slice(0, 60)).filter((text) => text !== "");
      expect(texts).toEqual(expected.replyTexts.filter((text) => !lost.texts.includes(text)));
      const calls = replies.flatMap((reply) => reply.toolCalls ?? []);
      expect(calls.map((call) => call.toolName)).toEqual(expected.toolCalls);
      const finished = calls.filter((call) => call.output !== undefined);
      const refused = recorded.toolCalls?.filter(([, success]) => success === null).length ?? 0;
      expect(finished).toHaveLength(calls.length - refused);
      const results = messages.flatMap((message) => message.toolResult ?? []);
      expect(results.map((result) => [result.toolCallId, result.toolName])).toEqual(
        finished.map((call) => [call.toolCallId, call.toolName]),
      );
      const models = [...new Set(replies.map((reply) => reply.model))];
      expect(models).toEqual(WITHOUT_MODEL.has(cliVersion) ? [undefined] : expected.models);
    });

    it(`${name} bills what was served`, () => {
      const reader = open(home, sessionId);
      const own = [...reader.usage()].filter((record) => !record.copied);
      expect(reader.head.usageUnknown).toBe(UNCOUNTED.has(cliVersion) ? true : undefined);
      expect(sumOf(own)).toEqual(UNCOUNTED.has(cliVersion) ? sumOf([]) : served(session));
      expect(own.every((record) => record.reportedMicroUsd === undefined && !record.lowerBound)).toBe(true);
    });

    it(`${name} has its title, model, directory, dates and parent`, () => {
      const { head } = open(home, sessionId);
      expect(head.title).toBe(expected.title ?? expected.firstPrompt);
      expect(head.cwd).toBe(WITHOUT_CWD.has(sessionId) ? undefined : expected.cwd);
      expect(head.model).toBe(WITHOUT_MODEL.has(cliVersion) ? undefined : expected.models.at(-1));
      expect(head.createdMs).toBe(Date.parse(expected.startTime ?? BEGUN[sessionId]!));
      expect(head.updatedMs).toBeGreaterThanOrEqual(head.createdMs!);
      expect(head.forkedFrom).toBe(expected.forkOf);
      expect(head.parentId).toBeUndefined();
    });
  }

  it("show a refused call, an interruption, an error and a compaction where they happened", () => {
    const roles = (home: string, id: string): string[] => [...open(home, id).messages()].map((message) => message.role);
    expect(contents([...open("home", "09daea18-1250-4de4-9961-e187107df798").messages()], "system")).toEqual([
      "Interrupted (user_initiated).",
    ]);
    expect(contents([...open("home", "20dc645c-1e3c-49a7-8a2d-312fb74edfd8").messages()], "system")).toEqual([
      "400 Invalid request: mock failure",
    ]);
    expect(roles("home", "cc3c983e-570e-4838-b742-f7566ceb1387")).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "system",
      "user",
      "assistant",
    ]);
  });

  it("measure a tool without the time the user took to allow it", () => {
    const messages = [...open("home", "09daea18-1250-4de4-9961-e187107df798").messages()];
    const [call] = messages.flatMap((message) => message.toolCalls ?? []);
    // Requested at 07.989, allowed at 09.056, done at 09.293.
    expect(call!.durationMs).toBe(237);
  });

  it("bill a rewound turn from the store and a compaction from the events, each once", () => {
    const rewound = [...open("home", "09daea18-1250-4de4-9961-e187107df798").usage()];
    expect(rewound.map((record) => record.tokens.input)).toEqual([12411, 12450, 12700, 12750, 12900, 12850]);
    const compacted = [...open("home", "cc3c983e-570e-4838-b742-f7566ceb1387").usage()];
    expect(compacted.map((record) => record.tokens.input)).toEqual([12410, 14000, 16000, 12700]);
  });

  it("give sub-agents their own transcripts, and their requests their id", () => {
    const { sessionId, home, expected } = manifest.sessions.find((session) => session.expected.subAgents)!;
    const reader = open(home, sessionId);
    const [transcript, ...others] = reader.subagents!();
    const [agent] = expected.subAgents!;
    expect(others).toEqual([]);
    expect(transcript).toMatchObject({ label: "cart-tests", model: "claude-sonnet-4.6" });
    const { messages, id, toolCallId } = transcript!;
    expect(contents(messages, "user")).toEqual([agent!.prompt]);
    expect(contents(messages, "assistant")).toHaveLength(agent!.modelReplies);
    expect(messages.flatMap((message) => message.toolCalls ?? []).map((call) => call.toolName)).toEqual(
      agent!.toolCalls,
    );
    const parentCalls = [...reader.messages()].flatMap((message) => message.toolCalls ?? []);
    expect(parentCalls.map((call) => call.toolCallId)).toEqual([toolCallId]);
    const usage = [...reader.usage()].filter((record) => record.subagent === id);
    const { input, output } = agent!.tokensServed;
    expect(sumOf(usage)).toMatchObject({ input, output });
  });

  it("mark what a fork copied, in the messages and in the bill", () => {
    const fork = open("home", "dd9db146-2672-4923-ad1a-a2455f252ae4");
    const parent = open("home", "d6269cd4-5c6a-4124-b2dd-2a86e91bf4c9");
    expect([...fork.messages()].map((message) => message.inherited)).toEqual([true, true, undefined, undefined]);
    const [copy, own] = fork.usage();
    expect(copy).toEqual({ ...[...parent.usage()][0]!, copied: true });
    expect(own!.copied).toBeUndefined();
    expect(fork.head.familyKeys).toEqual(parent.head.familyKeys);
  });

  it("return all events as they are", () => {
    expect(open("home", "30a6c7fc-c030-45b9-ad3c-9ad58b3ea4e8").raw()).toHaveLength(42);
  });

  it("contain no event type that is neither used nor ignored on purpose", () => {
    const unknown = new Set<string>();
    for (const file of filesBelow(FIXTURES, (name) => name.endsWith(".jsonl"))) {
      if (!file.path.includes("session-state")) continue;
      for (const line of readLines(file.path)) {
        const event = parseEvent(line.bytes);
        if (event && event.said === undefined && !isIgnored(event.type)) unknown.add(event.type);
      }
    }
    expect([...unknown]).toEqual([]);
  });
});

describe("a store whose rows are all in the -wal file", () => {
  it("is read like any other", () => {
    const usage = [...open("home-wal", "682ee3d8-5304-4aae-9360-86c8d4059c55").usage()];
    expect(sumOf(usage)).toMatchObject({ input: 62_100, output: 96 });
    expect(usage.filter((record) => record.subagent !== undefined)).toHaveLength(1);
  });
});

describe("the documented layout", () => {
  const { path, sessionId, expected } = manifest.synthetic[0]!;

  it("is a list of messages without counts", () => {
    const reader = open(`${path}/home`, sessionId);
    const messages = [...reader.messages()];
    expect(contents(messages, "user")).toHaveLength(expected.user);
    expect(contents(messages, "assistant")).toHaveLength(expected.assistant);
    expect(messages[1]!.model).toBe("gpt-4.1");
    expect(reader.head).toEqual({
      title: "Spec shaped Copilot prompt a.",
      createdMs: Date.parse("2026-07-01T11:00:00Z"),
      updatedMs: Date.parse("2026-07-01T11:00:04Z"),
      model: "gpt-4.1",
      usageUnknown: true,
    });
  });
});

describe("the location of the store", () => {
  it("follows COPILOT_HOME and XDG_CONFIG_HOME", () => {
    const vars = {
      COPILOT_HOME: join(FIXTURES, "home-1.0.24/.copilot"),
      XDG_CONFIG_HOME: join(FIXTURES, "synthetic-spec/home/.config"),
    };
    const env: AgentEnv = { home: "/nowhere", platform: "linux", vars };
    expect(copilot.history.listSessions(env, new ReadNotes())).toHaveLength(2);
  });

  it("resumes by the session id what has events", () => {
    const resume = (home: string): (string[] | undefined)[] =>
      copilot.history
        .listSessions(envOf(home), new ReadNotes())
        .map((source) => copilot.launch.resume(source.sessionId, source));
    expect(resume("home-1.0.24")).toEqual([["copilot", "--resume=cb3a2956-7869-4059-b350-f1d5f7026d0f"]]);
    expect(resume("home-0.0.340")).toEqual([undefined, undefined]);
  });
});

for (const home of ["home", "home-0.0.340", "home-0.0.370", "home-1.0.24"]) {
  const sessions = manifest.sessions.filter((session) => session.home === home).length;
  conformance(copilot, { home: join(FIXTURES, home), sessions });
}
conformance(copilot, { home: join(FIXTURES, "home-wal"), sessions: 3 });
conformance(copilot, { home: join(FIXTURES, "synthetic-spec/home"), sessions: 1 });
