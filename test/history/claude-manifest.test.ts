import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { CostSummary } from "../../src/core/cost.ts";
import type { SessionSummary } from "../../src/core/session.ts";
import { standingSessions } from "../support/standing-sessions.ts";
import { warmJson } from "../support/warm-cli.ts";

const FIXTURES = join(import.meta.dirname, "../../src/agents/claude/fixtures");
const options = { home: join(FIXTURES, "home") };

interface Tokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
}

interface Expected {
  sessionId: string;
  scenario: string;
  cliVersion: string;
  cwd: string;
  prompts: string[];
  inheritedPrompts?: string[];
  modelReplies: number;
  toolCalls: { id: string }[];
  tokens: Tokens;
  subagents?: { tokens: Tokens }[];
  brokenReplies?: { count: number; tokensAnnounced: Tokens };
  forkedFrom?: string;
  resumedFrom?: string;
  cliReportedCostUsd?: number[];
  auxRequests?: unknown[];
}

const { sessions } = JSON.parse(readFileSync(join(FIXTURES, "MANIFEST.json"), "utf8")) as { sessions: Expected[] };
const byId = new Map(sessions.map((session) => [session.sessionId, session]));

/** A program each would take minutes. */
const shown = standingSessions(options.home);

let listed: Map<string, SessionSummary>;

beforeAll(async () => {
  listed = new Map(
    (await warmJson<SessionSummary[]>(["sessions", "list", "claude"], options)).map((row) => [row.sessionId, row]),
  );
});

function tokensOf({ tokens, subagents = [], brokenReplies, cliVersion }: Expected): Record<string, number> {
  const all = [
    tokens,
    ...subagents.map((helper) => helper.tokens),
    ...(brokenReplies ? [brokenReplies.tokensAnnounced] : []),
  ];
  // 2.0.77 started three sub-agents itself; their requests are on disk and were billed.
  if (cliVersion === "2.0.77") all.push({ input: 33, output: 6, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 });
  const sum = (field: keyof Tokens): number => all.reduce((total, each) => total + each[field], 0);
  return {
    inputTokens: sum("input"),
    outputTokens: sum("output"),
    cachedTokens: sum("cacheRead"),
    cacheWriteTokens: sum("cacheWrite"),
    cacheWrite1hTokens: sum("cacheWrite1h"),
  };
}

/** The cost that the program reported, without the part a fork inherited. */
function reportedUsd(expected: Expected): number | undefined {
  const total = expected.cliReportedCostUsd?.at(-1);
  // Versions before 2.1.325 leave no total on disk, and no trace of their title and warm-up requests.
  if (total === undefined || !expected.cliVersion.startsWith("2.1.325")) return undefined;
  if (expected.forkedFrom === undefined) return total;
  // The fork was made after the parent's second run.
  return total - byId.get(expected.forkedFrom)!.cliReportedCostUsd![1]!;
}

describe.each(sessions)("$scenario ($sessionId)", (expected) => {
  it("is listed with its figures", () => {
    const row = listed.get(expected.sessionId)!;
    const prompts = [...(expected.inheritedPrompts ?? []), ...expected.prompts];
    expect(row.partial).toBeUndefined();
    expect(row.cwd).toBe(expected.cwd);
    expect(row.forkedFrom).toBe(expected.forkedFrom ?? expected.resumedFrom);
    expect(row.turnCount).toBe(expected.scenario === "c-err" ? prompts.length - 1 : prompts.length);
    expect(row.cost).toMatchObject(tokensOf(expected));
    const usd = reportedUsd(expected);
    if (usd !== undefined) expect(row.cost!.totalUsd).toBe(Math.round(usd * 1e9) / 1e9);
  });

  it("is shown with its messages", async () => {
    const session = await shown.get("claude", expected.sessionId);
    const own = session.messages.filter((message) => !message.inherited);
    expect(session.messageCount).toBe(session.messages.length);
    expect(own.filter((message) => message.role === "user").map((message) => message.content)).toEqual(
      expected.prompts,
    );
    expect(own.filter((message) => message.role === "assistant")).toHaveLength(
      expected.modelReplies + (expected.brokenReplies?.count ?? 0),
    );
    expect(own.filter((message) => message.role === "tool")).toHaveLength(expected.toolCalls.length);
  });
});

describe("the cost report", () => {
  it("counts every request once over all files", async () => {
    const report = await warmJson<CostSummary>(["cost", "report", "--agent", "claude", "--group-by", "model"], options);
    const totals = sessions.map(tokensOf);
    for (const field of [
      "inputTokens",
      "outputTokens",
      "cachedTokens",
      "cacheWriteTokens",
      "cacheWrite1hTokens",
    ] as const) {
      expect(report[field], field).toBe(totals.reduce((sum, each) => sum + each[field]!, 0));
    }
    expect(report.sessionCount).toBe(sessions.length);
    const rows = [...listed.values()].reduce((sum, row) => sum + Math.round(row.cost!.totalUsd * 1e9), 0);
    expect(Math.round(report.totalUsd * 1e9)).toBe(rows);
    expect(Object.values(report.breakdowns!).reduce((sum, group) => sum + Math.round(group.totalUsd * 1e9), 0)).toBe(
      rows,
    );
    expect(report.kinds.unpriced.requests).toBe(0);
  });

  it("is the sum of its days, by the local day of each request", async () => {
    const [total, days] = await Promise.all([
      warmJson<CostSummary>(["cost", "report"], options),
      warmJson<CostSummary>(["cost", "report", "--group-by", "day"], {
        ...options,
        vars: { TZ: "Pacific/Kiritimati" },
      }),
    ]);
    expect(Object.keys(days.breakdowns!)).toEqual(["2026-11-15"]);
    expect(days.totalUsd).toBe(total.totalUsd);
  });
});
