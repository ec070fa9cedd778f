/** The recorded homes against what was really sent, as their manifest says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { SessionMessage } from "../../core/session.ts";
import type { Json } from "../../lib/json/fields.ts";
import type { AgentEnv, SessionHead, SessionReader, UsageRecord } from "../adapter.ts";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { countMessages } from "../in-memory.ts";
import { ReadNotes } from "../read-notes.ts";
import codex from "./index.ts";

const FIXTURES = fileURLToPath(new URL("fixtures", import.meta.url));
const HOME = join(FIXTURES, "home");
const ENV: AgentEnv = { home: HOME, platform: "linux", vars: {} };
const { history, launch } = codex;

interface Tokens {
  inputInclCached: number;
  cached: number;
  output: number;
  reasoning: number;
}

const TOKENS = ["inputInclCached", "cached", "output", "reasoning"] as const;

interface Recorded {
  sessionId: string;
  scenario: string;
  cliVersion: string;
  cwd: string;
  gitBranch: string;
  prompts: string[];
  inheritedPrompts?: string[];
  modelReplies: number;
  models: string[];
  toolCalls: { name: string; id: string | null }[];
  thinkingBlocks: number;
  textBlocks: number;
  tokens: Tokens;
  auxRequests?: { count: number; tokens: Tokens }[];
  noUsageInFile?: boolean;
  forkedFrom?: string;
  childThreads?: string[];
  customTitle?: string;
  archived?: boolean;
}

const manifest = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as {
  sessions: Recorded[];
  otherFiles: Recorded[];
};
/** Sub-agent threads: the manifest leaves out what they share with their parents. */
const helpers = manifest.otherFiles.map((helper) => ({
  ...helper,
  cliVersion: "0.166.0",
  cwd: "/home/user/dev/shop-api",
  gitBranch: "main",
  prompts: ["Find the file and line where tax is computed under src/. Reply with path:line."],
}));
const recorded = [...manifest.sessions, ...helpers];

function open(sessionId: string): { reader: SessionReader; messages: SessionMessage[]; own: SessionMessage[] } {
  const notes = new ReadNotes();
  const source = history.listSessions(ENV, notes).find((candidate) => candidate.sessionId === sessionId)!;
  const reader = history.read(source, ENV, notes)!;
  const messages = [...reader.messages()];
  return { reader, messages, own: messages.filter((message) => !message.inherited) };
}

function contents(messages: SessionMessage[], role: SessionMessage["role"]): string[] {
  return messages.filter((message) => message.role === role).map((message) => message.content);
}

/** As the manifest counts: input includes cache reads. */
function sum(usage: Iterable<UsageRecord>): Tokens {
  const total = { inputInclCached: 0, cached: 0, output: 0, reasoning: 0 };
  for (const { tokens } of usage) {
    total.inputInclCached += tokens.input + tokens.cached + tokens.cacheWrite;
    total.cached += tokens.cached;
    total.output += tokens.output;
    total.reasoning += tokens.thinking;
  }
  return total;
}

describe.each(recorded)("the recorded session $scenario $sessionId", (expected) => {
  const { reader, messages, own } = open(expected.sessionId);
  const replies = own.filter((message) => message.role === "assistant");
  const aux = expected.auxRequests ?? [];
  // The manifest counts the answer to a summary request; here it is a system message.
  const summaries = (reader.raw() as Json[]).filter((record) => record["type"] === "compacted").length;

  it("has the prompts that were typed", () => {
    const inherited = messages.filter((message) => message.inherited === true);
    expect(contents(own, "user")).toEqual(expected.prompts);
    expect(contents(inherited, "user")).toEqual(expected.inheritedPrompts ?? []);
  });

  it("has one assistant message for each answer of the model", () => {
    const requests = expected.modelReplies + aux.reduce((count, request) => count + request.count, 0);
    expect(replies).toHaveLength(requests - summaries);
    expect(replies.filter((reply) => reply.content !== "")).toHaveLength(
      expected.textBlocks + (requests - expected.modelReplies) - summaries,
    );
    expect(replies.filter((reply) => reply.thinking !== undefined)).toHaveLength(expected.thinkingBlocks);
  });

  it("has the tool calls with their results", () => {
    const calls = replies.flatMap((reply) => reply.toolCalls ?? []);
    expect(calls.map((call) => call.toolName)).toEqual(expected.toolCalls.map((call) => call.name));
    // A tool search was served without an id; the program makes one up.
    const ids = expected.toolCalls.map((call, index) => call.id ?? calls[index]?.toolCallId);
    expect(calls.map((call) => call.toolCallId)).toEqual(ids);
    const results = own.filter((message) => message.role === "tool").map((message) => message.toolResult!);
    expect(results.map((result) => result.toolCallId).sort()).toEqual(calls.map((call) => call.toolCallId).sort());
    for (const call of calls) {
      expect(call.output).toBe(results.find((result) => result.toolCallId === call.toolCallId)!.output);
      expect(results.find((result) => result.toolCallId === call.toolCallId)!.toolName).toBe(call.toolName);
    }
  });

  it("bills what was served, unless the file has no counts", () => {
    const usage = [...reader.usage()];
    const served = { ...expected.tokens };
    for (const { tokens } of aux) for (const key of TOKENS) served[key] += tokens[key];
    const unknown = expected.noUsageInFile === true;
    expect(sum(usage)).toEqual(unknown ? sum([]) : served);
    expect(new Set(usage.map((record) => record.model))).toEqual(new Set(unknown ? [] : expected.models));
    expect(reader.head.usageUnknown ?? false).toBe(unknown);
    expect([...(unknown ? [undefined] : expected.models)]).toContain(reader.head.model);
  });

  it("shows on each reply what it used", () => {
    const shown = replies.flatMap(({ tokenUsage: used }) => (used ? [[used.inputTokens, used.outputTokens]] : []));
    const billed = [...reader.usage()].map(({ tokens }) => [tokens.input, tokens.output]);
    expect(billed).toEqual(expect.arrayContaining(shown));
    expect(shown).toHaveLength(Math.max(0, billed.length - summaries));
  });

  it("has the recorded head", () => {
    const { head } = reader;
    // The oldest program wrote none of these, the next one only the branch.
    const old = expected.noUsageInFile === true;
    const oldest = expected.cliVersion.startsWith("0.1.");
    expect(head).toMatchObject({
      title: expected.customTitle ?? [...(expected.inheritedPrompts ?? []), ...expected.prompts][0],
      ...(old ? {} : { cwd: expected.cwd, agentVersion: expected.cliVersion }),
      ...(oldest ? {} : { branch: expected.gitBranch }),
    });
    expect(head.forkedFrom).toBe(expected.forkedFrom);
    expect(head.archived).toBe(expected.archived);
    expect(head.createdMs).toBeGreaterThan(Date.parse("2026-11-15T01:47:00Z"));
    expect(head.updatedMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(head.createdMs!);
    expect(head.updatedMs === undefined).toBe(old);
  });

  it("is named by its sub-agents as the thread that started them", () => {
    for (const child of expected.childThreads ?? []) {
      expect(open(child).reader.head.parentId).toBe(expected.sessionId);
    }
  });
});

describe("the recorded home", () => {
  it("has the same summary in a list as after reading", () => {
    const notes = new ReadNotes();
    const heads = (give: (source: Parameters<typeof history.read>[0]) => SessionHead | undefined) =>
      Object.fromEntries(history.listSessions(ENV, notes).map((source) => [source.sessionId, give(source)]));
    expect(heads((source) => history.summarize(source, ENV, notes))).toEqual(
      heads((source) => history.read(source, ENV, notes)?.head),
    );
  });

  it("has the same tally with and without messages", () => {
    const notes = new ReadNotes();
    for (const source of history.listSessions(ENV, notes)) {
      const reader = history.read(source, ENV, notes)!;
      expect(reader.counts!()).toEqual(countMessages(reader.messages()));
    }
  });

  it("shows errors, interruptions and summaries as system messages", () => {
    const system = (sessionId: string): string[] => contents(open(sessionId).messages, "system");
    expect(system("01a1dce4-4f43-72d1-9633-a4fbbc370b73")).toEqual(["Invalid prompt: your prompt was flagged."]);
    expect(system("01a1dce4-dbfe-71e1-ac96-916fbd76d1fe")).toEqual([
      "Interrupted by the user.",
      "The user had a changelog written and asked for a release name.",
    ]);
  });

  it("marks failures and shows how long tools ran", () => {
    const { messages } = open("01a1dce4-dbfe-71e1-ac96-916fbd76d1fe");
    const calls = messages.flatMap((message) => message.toolCalls ?? []);
    expect(calls.map(({ toolName, isError, durationMs }) => ({ toolName, isError, durationMs }))).toEqual([
      { toolName: "apply_patch", isError: undefined, durationMs: 4213 },
      { toolName: "exec_command", isError: true, durationMs: 3873 },
    ]);
  });

  it("reads the script and the output parts of code mode", () => {
    const { messages } = open("01a1dce4-112f-7441-959b-5ee3339580e5");
    const [call] = messages.flatMap((message) => message.toolCalls ?? []);
    expect(call!.input).toMatch(/^const a = await tools\.exec_command/);
    expect(call!.output).toMatch(/^Script completed\n.*\nOutput:\n5 src\/routes\.js\n4 src\/price\.js\n$/);
  });

  it("returns the file's own records as raw", () => {
    const { reader } = open("01a1dce3-e7ec-77d0-941a-c4d12fe3d446");
    expect((reader.raw() as Json[]).map((record) => record["ordinal"])).toEqual(
      Array.from({ length: 17 }, (_, index) => 50 + index),
    );
  });

  it("can be resumed and forked in Codex", () => {
    expect(launch.resume("01a1")).toEqual(["codex", "resume", "01a1"]);
    expect(launch.fork("01a1")).toEqual(["codex", "fork", "01a1"]);
    expect(launch.resume("--last")).toEqual(["codex", "resume", "--", "--last"]);
  });
});

conformance(codex, { home: HOME, sessions: recorded.length });
conformance(codex, { home: join(FIXTURES, "packed"), sessions: 3 });
