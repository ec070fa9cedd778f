import { join } from "node:path";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AgentEnv } from "../adapter.ts";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { ReadNotes } from "../read-notes.ts";
import claude from "./index.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const HOME = join(FIXTURES, "home");
const env: AgentEnv = { home: HOME, platform: "linux", vars: {} };
const { history } = claude;

interface Tokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
}

interface Served {
  modelReplies: number;
  models: string[];
  toolCalls: { name: string; id: string }[];
  thinkingBlocks: number;
  textBlocks: number;
  tokens: Tokens;
}

interface Expected extends Served {
  sessionId: string;
  scenario: string;
  cliVersion: string;
  cwd: string;
  gitBranch: string;
  prompts: string[];
  inheritedPrompts?: string[];
  forkedFrom?: string;
  resumedFrom?: string;
  customTitle?: string;
  aiTitle?: string;
  subagents?: (Served & { label: string })[];
  brokenReplies?: { count: number; tokensAnnounced: Tokens };
}

const manifest = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as { sessions: Expected[] };

function open(sessionId: string) {
  const notes = new ReadNotes();
  const source = history.listSessions(env, notes).find((candidate) => candidate.sessionId === sessionId)!;
  return { source, notes, head: history.summarize(source, env, notes)!, reader: history.read(source, env, notes)! };
}

function sum(all: Tokens[]): Tokens {
  const total: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 };
  for (const tokens of all) for (const key of Object.keys(total) as (keyof Tokens)[]) total[key] += tokens[key];
  return total;
}

describe.each(manifest.sessions)("the recorded session $scenario", (expected) => {
  const { head, reader } = open(expected.sessionId);
  const messages = [...reader.messages()];
  const usage = [...reader.usage()];
  const own = messages.filter((message) => !message.inherited);

  it("shows the prompts that were typed, inherited ones first", () => {
    const prompts = messages.filter((message) => message.role === "user").map((message) => message.content);
    expect(prompts).toEqual([...(expected.inheritedPrompts ?? []), ...expected.prompts]);
  });

  it("has one assistant message for each reply", () => {
    const replies = own.filter((message) => message.role === "assistant").length;
    expect(replies).toBe(expected.modelReplies + (expected.brokenReplies?.count ?? 0));
  });

  it("joins each tool call with its result", () => {
    const calls = own.flatMap((message) => message.toolCalls ?? []);
    expect(calls.map((call) => ({ name: call.toolName, id: call.toolCallId }))).toEqual(expected.toolCalls);
    for (const call of calls) {
      expect(call.output).toBeDefined();
      expect(call.durationMs).toBeGreaterThanOrEqual(0);
    }
    const results = messages
      .filter((message) => message.role === "tool")
      .map((message) => message.toolResult!.toolCallId);
    expect(new Set(results)).toEqual(
      new Set(messages.flatMap((m) => m.toolCalls ?? []).map((call) => call.toolCallId)),
    );
  });

  it("bills what was served after the fork, sub-agents separately", () => {
    const mine = usage.filter((record) => !record.copied);
    const main = mine.filter((record) => record.subagent === undefined);
    const tokensOf = (records: typeof usage): Tokens =>
      sum(
        records.map(({ tokens }) => ({
          input: tokens.input,
          output: tokens.output,
          cacheRead: tokens.cached,
          cacheWrite: tokens.cacheWrite,
          cacheWrite1h: tokens.cacheWrite1h,
        })),
      );
    expect(tokensOf(main)).toEqual(
      sum([expected.tokens, ...(expected.brokenReplies ? [expected.brokenReplies.tokensAnnounced] : [])]),
    );
    expect(main.filter((record) => record.lowerBound)).toHaveLength(expected.brokenReplies?.count ?? 0);
    const helpers = mine.filter((record) => record.subagent !== undefined);
    // 2.0.77 also warmed up three sub-agents that no prompt started; they were billed.
    const warmUps =
      expected.cliVersion === "2.0.77" ? [{ input: 33, output: 6, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 }] : [];
    expect(tokensOf(helpers)).toEqual(sum([...(expected.subagents ?? []).map((helper) => helper.tokens), ...warmUps]));
  });

  it("knows title, directory, branch and model", () => {
    const title =
      expected.customTitle ?? expected.aiTitle ?? [...(expected.inheritedPrompts ?? []), ...expected.prompts][0];
    expect(head.title).toBe(title);
    expect(head.cwd).toBe(expected.cwd);
    expect(head.branch).toBe(expected.cliVersion === "1.0.0" ? undefined : expected.gitBranch);
    expect(expected.models).toContain(reader.head.model);
    expect(new Set(own.flatMap((message) => message.model ?? []))).toEqual(new Set(expected.models));
  });

  it("keeps thinking beside the text", () => {
    const thinking = own.filter((message) => message.thinking !== undefined).length;
    expect(thinking).toBe(expected.thinkingBlocks);
  });

  it("returns the sub-agents' transcripts", () => {
    const helpers = reader.subagents!().filter((helper) => helper.messages[0]?.content !== "Warmup");
    expect(helpers.map((helper) => helper.messages.filter((message) => message.role === "assistant").length)).toEqual(
      (expected.subagents ?? []).map((helper) => helper.modelReplies),
    );
    const calls = helpers.map((helper) =>
      helper.messages.flatMap((message) => message.toolCalls ?? []).map((call) => call.toolCallId),
    );
    expect(calls).toEqual((expected.subagents ?? []).map((helper) => helper.toolCalls.map((call) => call.id)));
  });
});

describe("forks and copies", () => {
  it("finds the parent of a fork that carries no pointer to it", () => {
    const notes = new ReadNotes();
    const family = history
      .listSessions(env, notes)
      .map((source) => ({ source, head: history.summarize(source, env, notes) }))
      .flatMap(({ source, head }) => (head ? [{ source, head }] : []));
    for (const { sessionId, forkedFrom, resumedFrom } of manifest.sessions) {
      const parent = forkedFrom ?? resumedFrom;
      if (parent === undefined) continue;
      const { head } = family.find((member) => member.source.sessionId === sessionId)!;
      const shared = family.filter((member) => member.head.familyKeys?.some((key) => head.familyKeys!.includes(key)));
      expect(history.lineage(shared)).toEqual(new Map([[sessionId, parent]]));
    }
  });
});

conformance(claude, { home: HOME, sessions: manifest.sessions.length });
