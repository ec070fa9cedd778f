/** Past sessions and costs. Names load first; costs may need whole sessions, load later and are cached. */
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { SessionSummary } from "../../core/session.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import { endsInError } from "../../history/ends-in-error.ts";
import type { TokenFields } from "../../status/status-file.ts";
import type { TuiServices } from "../services.ts";
import { rowOfPast, type Row } from "./row.ts";

/** Enough for scrolling; a search finds older ones. */
const MAX_PAST = 10_000;

/** Without a cache every refresh would read all sessions. */
const KEEPING = { index: "fill" } as const;

/** Costs load after the first frame and the first keys. */
const COST_AFTER_MS = 1000;

export class HistoryBoard {
  private readonly services: TuiServices;
  private readonly onChange: () => void;
  private found: Row[] | undefined;
  private summaries: ReadonlyMap<string, SessionSummary> = new Map();
  /** Whether a session ended in an error, with the time of its last change when that was read. */
  private readonly ends = new Map<string, { updatedMs: number; failed: boolean }>();
  private wantsEnds = false;
  /** Lists are read side by side; one that began earlier must not replace what a later one found. */
  private begun = 0;
  private kept = 0;

  constructor(services: TuiServices, onChange: () => void) {
    this.services = services;
    this.onChange = onChange;
  }

  /** Undefined until loaded. */
  get rows(): readonly Row[] | undefined {
    return this.found;
  }

  async look(): Promise<void> {
    if (this.found === undefined) {
      await this.list({ counts: false });
      await pause(COST_AFTER_MS, undefined, { ref: false });
    }
    await this.list();
    if (this.wantsEnds) await this.lookForErrors();
  }

  private async list(how: { counts?: boolean } = {}): Promise<void> {
    const history = await this.services.history();
    const mine = ++this.begun;
    const summaries = await history.listAll({ ...KEEPING, limit: MAX_PAST, ...how });
    if (mine < this.kept) return;
    this.kept = mine;
    this.keep(summaries);
  }

  /** Reads every session that changed since the last time, so only the error filter asks for it. */
  async lookForErrors(): Promise<void> {
    this.wantsEnds = true;
    const history = await this.services.history();
    for (const { key, past, updatedMs } of this.found ?? []) {
      if (past === undefined || this.ends.get(key)?.updatedMs === updatedMs) continue;
      this.ends.set(key, { updatedMs, failed: (await endsInError(history, past)) === true });
      // Keys and frames come first.
      await nextTurn();
    }
    this.found = this.found?.map((row) => this.withEnd(row));
    this.onChange();
  }

  private withEnd(row: Row): Row {
    return this.ends.get(row.key)?.failed === true ? { ...row, hasFailed: true } : row;
  }

  /** Adds the cost so far to the row. */
  withCost(row: Row): Row {
    const { conversation } = row;
    if (conversation === undefined || row.cost !== undefined) return row;
    const { cost } = this.summaries.get(joinUnifiedId(conversation.agent, conversation.sessionId)) ?? {};
    if (cost === undefined) return row;
    const input = cost.inputTokens + (cost.cachedTokens ?? 0) + (cost.cacheWriteTokens ?? 0);
    const tokens: TokenFields = { input, output: cost.outputTokens, total: input + cost.outputTokens };
    // An agent that does not report tokens has unknown usage, not zero.
    const known = row.tokens ?? (tokens.total === 0 && cost.kind === "unknown" ? undefined : tokens);
    return { ...row, cost, ...(known === undefined ? {} : { tokens: known }) };
  }

  private keep(summaries: readonly SessionSummary[]): void {
    this.summaries = new Map(summaries.map((summary) => [summary.unifiedId, summary]));
    this.found = summaries.map((summary) => this.withEnd(this.withCost(rowOfPast(summary))));
    this.onChange();
  }
}
