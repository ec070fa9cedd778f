/** Checks an adapter against the MANIFEST.json of recorded Pi or omp sessions. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionMessage } from "../../../src/core/session.ts";
import { titleFrom } from "../../../src/lib/text/text.ts";
import type { AgentEnv, History, SessionReader, SessionSource, UsageRecord } from "../../../src/agents/adapter.ts";
import { ReadNotes } from "../../../src/agents/read-notes.ts";
import { idInName } from "../../../src/agents/shared/tree-store.ts";

export interface RecordedUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
  costUsd: number;
}

/** What a manifest expects of any agent's tree. */
export interface ExpectedTree {
  header: { id: string; timestamp: string; cwd: string };
  entryTypes: Record<string, number>;
  activeBranch: {
    messages: { user: number; assistant: number; toolResult: number; other: Record<string, number> };
    userPrompts: string[];
    tools: string[];
    unansweredToolCalls: string[];
    models: string[];
    usageAssistant: RecordedUsage;
  };
  wholeTree: { models: string[]; usageAll: RecordedUsage };
  firstPrompt: string;
  lastEntryAt: string;
}

export interface RecordedSession {
  file: string;
  subagentOf?: string;
  expected: ExpectedTree & {
    header: { parentSession: string | null };
    name: string | null;
    selectedModelAtEnd: string | null;
  };
}

export interface Scenario {
  id: string;
  sessions: RecordedSession[];
  mockModelUsage: { input: number; output: number; cacheRead: number; cacheWrite: number };
  usageCheck: string;
}

export function scenariosOf(fixtures: string): Scenario[] {
  return (JSON.parse(readFileSync(join(fixtures, "MANIFEST.json"), "utf8")) as { scenarios: Scenario[] }).scenarios;
}

export function checkRecorded(history: History, fixtures: string): void {
  const env: AgentEnv = { home: join(fixtures, "home"), platform: "linux", vars: {} };
  const scenarios = scenariosOf(fixtures);
  const notes = new ReadNotes();
  const sources = history.listSessions(env, notes);
  const listed = scenarios.flatMap(({ id, sessions }) =>
    sessions.filter((session) => session.subagentOf === undefined).map((session) => ({ id, session })),
  );

  it("lists the recorded sessions and nothing else", () => {
    const expected = listed.map(({ session }) => session.expected.header.id);
    expect(sources.map((source) => source.sessionId).sort()).toEqual(expected.sort());
    expect(notes.skipped).toEqual([]);
  });

  describe.each(listed)("the recorded session $id $session.expected.header.id", ({ session }) => {
    const source = sourceOf(sources, session);
    const reader = history.read(source, env, new ReadNotes())!;
    checkConversation(session, [...reader.messages()], rawLines(fixtures, session));
    checkHead(session, reader);
    checkUsage(session, reader);

    it("keeps every record in raw", () => {
      expect(reader.raw()).toEqual(rawLines(fixtures, session));
    });
  });

  // The scripted model's own counts are independent of the files.
  const provable = scenarios.filter(({ usageCheck }) => /equals|repeats the entries/.test(usageCheck));
  it.each(provable)("bills in $id exactly what the model handed out", ({ sessions, mockModelUsage }) => {
    const records = sessions
      .filter((session) => session.subagentOf === undefined)
      .flatMap((session) => [...history.read(sourceOf(sources, session), env, new ReadNotes())!.usage()])
      .filter((record) => !record.copied);
    const { input, output, cacheRead, cacheWrite } = sumOf(records);
    const { input: i, output: o, cacheRead: r, cacheWrite: w } = mockModelUsage;
    expect({ input, output, cacheRead, cacheWrite }).toEqual({ input: i, output: o, cacheRead: r, cacheWrite: w });
  });
}

export function checkConversation(session: RecordedSession, messages: SessionMessage[], raw: RawLine[]): void {
  const { activeBranch, entryTypes } = session.expected;
  const withRole = (role: string): SessionMessage[] => messages.filter((message) => message.role === role);
  const calls = messages.flatMap((message) => message.toolCalls ?? []);
  const failed = raw.filter(({ message }) => message?.errorMessage !== undefined);
  const refused = failed.filter(({ message }) => message?.content?.length === 0);

  it("shows the prompts that were typed", () => {
    const prompts = withRole("user").map((message) => message.content.replace(/\n\[image\]$/, ""));
    expect(prompts).toEqual(activeBranch.userPrompts);
  });

  it("has one message for each reply, each tool result and each notice", () => {
    expect(withRole("assistant")).toHaveLength(activeBranch.messages.assistant - refused.length);
    expect(withRole("tool")).toHaveLength(activeBranch.messages.toolResult);
    const notices =
      (entryTypes["compaction"] ?? 0) +
      (entryTypes["custom_message"] ?? 0) +
      (activeBranch.messages.other["bashExecution"] ?? 0) +
      failed.length +
      raw.filter(({ data }) => data?.kind === "signal").length;
    expect(withRole("system")).toHaveLength(notices);
  });

  it("joins each tool call with its result", () => {
    expect(calls.map((call) => call.toolName)).toEqual(activeBranch.tools);
    const unanswered = calls.filter((call) => call.output === undefined).map((call) => call.toolName);
    expect(unanswered).toEqual(activeBranch.unansweredToolCalls);
    const answered = calls.filter((call) => call.output !== undefined).map((call) => call.toolCallId);
    expect(
      withRole("tool")
        .map((message) => message.toolResult!.toolCallId)
        .sort(),
    ).toEqual(answered.sort());
  });

  it("names the model of each reply and its tokens", () => {
    const models = new Set(withRole("assistant").map((message) => message.model));
    expect(models).toEqual(new Set(activeBranch.models.map(withoutProvider)));
    const { input, output, cacheRead, cacheWrite, reasoning } = activeBranch.usageAssistant;
    expect(tokensTold(messages)).toEqual({ input, output, cacheRead, cacheWrite, reasoning });
  });
}

function checkHead(session: RecordedSession, { head }: SessionReader): void {
  const { header, name, firstPrompt, wholeTree, selectedModelAtEnd, lastEntryAt } = session.expected;
  it("knows title, directory, model, dates and origin", () => {
    // An attached file stands before the question and is not part of the title.
    expect(head.title).toBe(name ?? titleFrom(firstPrompt.replace(/^<file .*<\/file>\n/, "")));
    expect(head.cwd).toBe(header.cwd);
    expect(head.createdMs).toBe(Date.parse(header.timestamp));
    expect(head.updatedMs).toBe(Date.parse(lastEntryAt));
    // A session killed before its first answer has only the model that was chosen.
    const models = wholeTree.models.length > 0 ? wholeTree.models : [selectedModelAtEnd];
    expect(models.map((model) => model && withoutProvider(model))).toContain(head.model);
    const parent = header.parentSession;
    expect(head.forkedFrom).toBe(parent === null ? undefined : idInName(parent));
  });
}

function checkUsage(session: RecordedSession, reader: SessionReader): void {
  it("bills every entry of every branch with the dollars the agent wrote", () => {
    const { input, output, cacheRead, cacheWrite, reasoning, costUsd } = session.expected.wholeTree.usageAll;
    const own = [...reader.usage()].filter((record) => record.subagent === undefined);
    const { costUsd: reported, ...tokens } = sumOf(own);
    expect(tokens).toEqual({ input, output, cacheRead, cacheWrite, reasoning });
    expect(reported).toBeCloseTo(costUsd, 9);
  });
}

export function sumOf(records: Iterable<UsageRecord>): RecordedUsage {
  const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, costUsd: 0 };
  for (const { tokens, reportedMicroUsd } of records) {
    sum.input += tokens.input;
    sum.output += tokens.output;
    sum.cacheRead += tokens.cached;
    sum.cacheWrite += tokens.cacheWrite;
    sum.reasoning += tokens.thinking;
    sum.costUsd += (reportedMicroUsd ?? 0) / 1e6;
  }
  return sum;
}

/** The sum of the token counts in a conversation's messages. */
export function tokensTold(messages: Iterable<SessionMessage>): Omit<RecordedUsage, "costUsd"> {
  const told = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  for (const { tokenUsage } of messages) {
    told.input += tokenUsage?.inputTokens ?? 0;
    told.output += tokenUsage?.outputTokens ?? 0;
    told.cacheRead += tokenUsage?.cachedTokens ?? 0;
    told.cacheWrite += tokenUsage?.cacheWriteTokens ?? 0;
    told.reasoning += tokenUsage?.thinkingTokens ?? 0;
  }
  return told;
}

interface RawLine {
  message?: { errorMessage?: string; content?: unknown[] };
  data?: { kind?: string };
}

export function rawLines(fixtures: string, session: RecordedSession): RawLine[] {
  const lines = readFileSync(join(fixtures, session.file), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as RawLine);
}

function sourceOf(sources: readonly SessionSource[], session: RecordedSession): SessionSource {
  return sources.find((source) => source.path.endsWith(session.file))!;
}

export function withoutProvider(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}
