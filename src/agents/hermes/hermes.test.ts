import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withDatabase } from "../../lib/sqlite/sqlite.ts";
import type { AgentEnv, UsageRecord } from "../adapter.ts";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { tallyOf } from "../in-memory.ts";
import { listedIds } from "../../../test/support/agents/reading.ts";
import { history } from "./history.ts";
import hermes from "./index.ts";
import { open } from "../../../test/support/agents/hermes-store.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

interface Tokens {
  input: number;
  output: number;
  cacheRead: number;
  reasoning: number;
}

interface Recorded {
  sessionId: string;
  scenario: string;
  title: string | null;
  model: string;
  cwd: string | null;
  parent: string | null;
  parentRelation: "branch" | "compression" | "reset" | "delegate" | null;
  startedAt: number;
  endedAt: number | null;
  lastMessageAt: number;
  rows: { all: number; active: number; compacted: number; takenBack: number };
  activeByRole: Record<string, number>;
  firstPrompt: string;
  promptsTyped: number;
  machineUserRows: number;
  toolCalls: { id: string; name: string; hasResult: boolean }[];
  thinking: string[];
  tokens: Tokens;
  cost: { estimatedUsd: number | null; status: string | null };
  lastAssistantText: string | null;
  archived?: boolean;
  usage: (Tokens & { model: string; task: string; estimatedUsd: number })[];
}

interface Documented {
  sessionId: string;
  title: string;
  cwd: string;
  model: string;
  createdAt: number;
  updatedAt: number;
  firstPrompt: string;
  turnCount: number;
  messageCount: number;
  tokens: { input: number; output: number; thinking: number; cached: number };
  costUsd: number | null;
}

interface Totals extends Tokens {
  sessions: number;
  usd: number;
}

interface Manifest {
  homes: {
    home: { sessions: Recorded[]; totals: Totals };
    "live-home": { sessions: Recorded[]; totals: Totals };
    "spec-home": { sessions: Documented[] };
    "spec-impl-home": { sessions: Pick<Documented, "sessionId" | "messageCount" | "turnCount" | "firstPrompt">[] };
  };
}

const { homes } = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as Manifest;

function envOf(home: string): AgentEnv {
  return { home: join(FIXTURES, home), platform: "linux", vars: {} };
}

/** The sessions with a compaction summary: one in place, one that continues a closed half. */
const SUMMARISED = new Set(["20261014_130006_e05f7b", "20261016_180130_bce525"]);

const isConversation = (record: UsageRecord): boolean => record.key.split("|")[1] === "";

function sumOf(records: readonly UsageRecord[]): Tokens {
  const sum = { input: 0, output: 0, cacheRead: 0, reasoning: 0 };
  for (const { tokens } of records) {
    sum.input += tokens.input;
    sum.output += tokens.output;
    sum.cacheRead += tokens.cached;
    sum.reasoning += tokens.thinking;
  }
  return sum;
}

for (const home of ["home", "live-home"] as const) {
  describe.each(homes[home].sessions)(`${home}, $scenario`, (expected) => {
    const { head, reader, notes } = open(envOf(home), expected.sessionId);
    const messages = [...reader.messages()];
    const usage = [...reader.usage()];
    const count = (role: string): number => messages.filter((message) => message.role === role).length;

    it("has its title, model and directory", () => {
      expect(head.title).toBe(expected.title ?? expected.firstPrompt);
      expect(head.model).toBe(expected.model);
      expect(head.cwd ?? null).toBe(expected.cwd);
      expect(head.archived ?? false).toBe(expected.archived ?? false);
      expect(head.usageUnknown).toBeUndefined();
    });

    it("is dated in milliseconds from its first message to its last activity", () => {
      const copies = expected.parentRelation === "branch" || expected.parentRelation === "compression";
      expect(head.startedMs).toBe(Math.round(expected.startedAt * 1000));
      const first = messages[0]!.timestamp!.getTime();
      expect(head.createdMs).toBe(copies ? head.startedMs : Math.min(head.startedMs!, first));
      expect(head.updatedMs).toBeGreaterThanOrEqual(Math.round((expected.endedAt ?? expected.lastMessageAt) * 1000));
      expect(head.updatedMs).toBeLessThanOrEqual(Math.round((expected.endedAt ?? Infinity) * 1000));
    });

    it("is linked to its parent by how it was created", () => {
      const { parent, parentRelation } = expected;
      expect(head.parentId ?? null).toBe(parentRelation === "delegate" ? parent : null);
      expect(head.forkedFrom ?? null).toBe(
        parentRelation === "branch" || parentRelation === "compression" ? parent : null,
      );
      const raw = reader.raw() as { lineage?: unknown };
      expect(raw.lineage).toEqual(parent === null ? undefined : { parent, relation: parentRelation });
    });

    it("shows what was typed, replied and returned", () => {
      expect(count("user")).toBe(expected.promptsTyped);
      expect(messages.find((message) => message.role === "user")?.content).toBe(expected.firstPrompt);
      // Every prompt of the compacted session had one reply; its live rows are only the end.
      const replied = expected.rows.compacted > 0 ? expected.promptsTyped : expected.activeByRole["assistant"];
      expect(count("assistant")).toBe(replied ?? 0);
      expect(count("tool")).toBe(expected.activeByRole["tool"] ?? 0);
      expect(count("system")).toBe(expected.machineUserRows + (SUMMARISED.has(expected.sessionId) ? 1 : 0));
      const replies = messages.filter((message) => message.role === "assistant");
      expect(replies.at(-1)?.content ?? null).toBe(expected.lastAssistantText);
      expect(replies.map((message) => message.thinking).filter(Boolean)).toEqual(expected.thinking);
    });

    it("joins each tool call with its result", () => {
      const calls = messages.flatMap((message) => message.toolCalls ?? []);
      expect(
        calls.map((call) => ({
          id: call.toolCallId,
          name: call.toolName,
          hasResult: messages.some((message) => message.toolResult?.toolCallId === call.toolCallId),
        })),
      ).toEqual(expected.toolCalls);
      for (const call of calls) {
        expect(call.input).toBeTypeOf("object");
        expect(call.output).toBeTypeOf("string");
      }
    });

    it("bills one record for each model and task", () => {
      const told = usage.map((record) => ({
        model: record.model,
        task: record.key.split("|")[1],
        ...sumOf([record]),
        usd: record.reportedMicroUsd === undefined ? undefined : Number((record.reportedMicroUsd / 1e6).toFixed(12)),
      }));
      const rows = expected.usage.map(({ model, task, input, output, cacheRead, reasoning, estimatedUsd }) => ({
        model,
        task,
        input,
        output,
        cacheRead,
        reasoning,
        usd: estimatedUsd === 0 ? undefined : Number(estimatedUsd.toFixed(12)),
      }));
      expect(told).toHaveLength(rows.length);
      expect(told).toEqual(expect.arrayContaining(rows));
      const { input, output, cacheRead, reasoning } = expected.tokens;
      expect(sumOf(usage.filter(isConversation))).toEqual({ input, output, cacheRead, reasoning });
    });

    it("is read without a note", () => {
      expect({ skipped: notes.skipped, unknown: notes.unknownTypes.size, damaged: notes.damagedLines }).toEqual({
        skipped: [],
        unknown: 0,
        damaged: 0,
      });
    });
  });

  it(`${home} adds up to the totals of the recording`, () => {
    const { totals, sessions } = homes[home];
    const records = sessions.flatMap(({ sessionId }) => [...open(envOf(home), sessionId).reader.usage()]);
    const conversation = records.filter(isConversation);
    const { input, output, cacheRead, reasoning } = totals;
    expect(listedIds(history, envOf(home))).toHaveLength(totals.sessions);
    expect(sumOf(conversation)).toEqual({ input, output, cacheRead, reasoning });
    const micros = conversation.reduce((sum, record) => sum + (record.reportedMicroUsd ?? 0), 0);
    expect(micros / 1e6).toBeCloseTo(totals.usd, 8);
  });
}

describe("a compaction in place", () => {
  const { reader } = open(envOf("home"), "20261014_130006_e05f7b");
  const messages = [...reader.messages()];

  it("keeps every earlier message once and shows the summary where it happened", () => {
    const roles = messages.map((message) => message.role);
    expect(roles).toEqual([
      ...Array.from({ length: 5 }, () => ["user", "assistant"]).flat(),
      "system",
      "user",
      "assistant",
    ]);
    expect(new Set(messages.map((message) => message.content)).size).toBe(messages.length);
  });

  it("shows the summary without the instructions to the model around it", () => {
    const summary = messages.find((message) => message.role === "system")!;
    expect(summary.content).toMatch(/^## Historical Task Snapshot\n/);
    expect(summary.content).not.toContain("END OF CONTEXT SUMMARY");
    expect(summary.timestamp).toBeUndefined();
  });
});

describe("a compaction that rotates the session", () => {
  const messages = [...open(envOf("home"), "20261016_180130_bce525").reader.messages()];

  it("marks what was copied from the closed half, and takes the summary out of the reply it was wrapped around", () => {
    expect(messages.map((message) => [message.role, message.inherited ?? false])).toEqual([
      ["user", true],
      ["assistant", true],
      ["system", false],
      ["user", true],
      ["assistant", true],
      ["user", false],
      ["assistant", false],
    ]);
    expect(messages[1]!.content).toMatch(/^Added CHECK \(amount_cents > 0\) to refund_ledger\.\n/);
    expect(messages[1]!.content).not.toContain("PRIOR CONTEXT");
  });
});

describe("a branch", () => {
  const { head, reader } = open(envOf("home"), "20261012_090133_a7c59d");

  it("shows the copied messages as inherited and bills only its own", () => {
    const inherited = [...reader.messages()].map((message) => message.inherited ?? false);
    expect(inherited).toEqual([true, true, true, true, true, true, false, false]);
    expect(sumOf([...reader.usage()]).input).toBe(3100);
    expect(head.forkedFrom).toBe("20261012_090006_a51a98");
  });
});

it("shows a delegation's report as a system message, not as a prompt", () => {
  const messages = [...open(envOf("home"), "20261009_162006_834163").reader.messages()];
  const system = messages.filter((message) => message.role === "system");
  expect(system.map((message) => message.content.split("\n")[0])).toEqual([
    "[ASYNC DELEGATION BATCH COMPLETE — deleg_c44f69af]",
  ]);
});

it("does not show what /undo removed, but still bills it", () => {
  const { reader } = open(envOf("home"), "20261024_080005_377c57");
  expect([...reader.messages()].some((message) => /zebra/i.test(message.content))).toBe(false);
  expect(sumOf([...reader.usage()].filter(isConversation)).input).toBe(5370);
  expect(JSON.stringify(reader.raw())).toContain("Zebra");
});

it("times a tool call that ran alone from the reply to the result", () => {
  const messages = [...open(envOf("home"), "20261002_091510_bb545e").reader.messages()];
  const durations = messages.flatMap((message) => message.toolCalls ?? []).map((call) => call.durationMs);
  expect(durations).toEqual([undefined, undefined, 731]);
});

describe.each(homes["spec-home"].sessions)("the documented layout, $title", (expected) => {
  const { head, reader } = open(envOf("spec-home"), expected.sessionId);
  const tally = tallyOf(reader);

  it("has the documented figures", () => {
    const tokens = { input: 0, output: 0, thinking: 0, cached: 0 };
    let usd = 0;
    for (const record of tally.usage) {
      for (const key of Object.keys(tokens) as (keyof typeof tokens)[]) tokens[key] += record.tokens[key];
      usd += (record.reportedMicroUsd ?? 0) / 1e6;
    }
    expect({
      sessionId: expected.sessionId,
      title: head.title,
      cwd: head.cwd,
      model: head.model,
      createdAt: head.createdMs,
      updatedAt: head.updatedMs,
      firstPrompt: [...reader.messages()][0]!.content,
      turnCount: tally.turnCount,
      messageCount: tally.messageCount,
      tokens,
      costUsd: usd === 0 ? null : Number(usd.toFixed(9)),
    }).toEqual({
      sessionId: expected.sessionId,
      title: expected.title,
      cwd: expected.cwd,
      model: expected.model,
      createdAt: expected.createdAt,
      updatedAt: expected.updatedAt,
      firstPrompt: expected.firstPrompt,
      turnCount: expected.turnCount,
      messageCount: expected.messageCount,
      tokens: expected.tokens,
      costUsd: expected.costUsd,
    });
  });
});

it("lists sessions of the documented layout, and no memory entries", () => {
  expect(listedIds(history, envOf("spec-home")).sort()).toEqual(
    homes["spec-home"].sessions.map((s) => s.sessionId).sort(),
  );
});

it.each(homes["spec-impl-home"].sessions)("reads the line file $sessionId", (expected) => {
  const { head, reader } = open(envOf("spec-impl-home"), expected.sessionId);
  const { messageCount, turnCount } = tallyOf(reader);
  expect({ messageCount, turnCount, firstPrompt: head.title }).toEqual({
    messageCount: expected.messageCount,
    turnCount: expected.turnCount,
    firstPrompt: expected.firstPrompt,
  });
  expect(head.usageUnknown).toBe(true);
});

it("resumes a session in its profile, and cannot fork", () => {
  const resume = (path: string): string[] | undefined =>
    hermes.launch.resume("20261002_091510_bb545e", { sessionId: "", path, files: [], updatedMs: 0 });
  expect(resume("/u/.hermes/state.db")).toEqual(["hermes", "--resume", "20261002_091510_bb545e"]);
  expect(resume("/u/.hermes/profiles/work/state.db")).toEqual([
    "hermes",
    "-p",
    "work",
    "--resume",
    "20261002_091510_bb545e",
  ]);
  expect(resume("/u/.hermes/sessions/20261002_091510_bb545e.jsonl")).toBeUndefined();
  expect(hermes.capabilities).toEqual({ canResume: true, canFork: false, sessionPersistence: "sqlite" });
});

describe("the tables of the recordings", () => {
  const READ = ["sessions", "messages", "session_model_usage", "state_meta", "messages_fts", "messages_fts_trigram"];
  const READ_DOCUMENTED = ["sessions", "messages", "sessions_fts", "memories_fts"];
  /** State of a running Hermes, messenger routing, prompts it sent: no part of a conversation. */
  const IGNORED = new Set([
    "schema_version",
    "system_prompts",
    "gateway_routing",
    "gateway_hygiene_state",
    "compression_locks",
    "session_turn_leases",
    "async_delegations",
    // The text of memories is read from their index.
    "memories",
  ]);

  it.each([
    ["home", READ],
    ["live-home", READ],
    ["spec-home", READ_DOCUMENTED],
  ])("in %s are all known", (home, read) => {
    const tables = withDatabase(join(FIXTURES, home, ".hermes", "state.db"), (database) =>
      database
        .all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        .map((row) => String(row["name"])),
    );
    const shadow = /_fts(_trigram)?_(data|idx|content|docsize|config)$/;
    expect(tables.filter((table) => !shadow.test(table) && !read.includes(table) && !IGNORED.has(table))).toEqual([]);
  });
});

conformance(hermes, { home: join(FIXTURES, "home"), sessions: 18 });
conformance(hermes, { home: join(FIXTURES, "live-home"), sessions: 4 });
conformance(hermes, { home: join(FIXTURES, "spec-home"), sessions: 3 });
conformance(hermes, { home: join(FIXTURES, "spec-impl-home"), sessions: 1 });
