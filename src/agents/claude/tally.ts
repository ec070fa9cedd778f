/**
 * Counts and bill of a session in one pass over its bytes. The scanner (`record-scan.ts`) takes the records; those it is
 * not sure about, the first prompt, and the few kinds with facts of their own are parsed here and go the way of
 * `session.ts`.
 */
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/directory.ts";
import { asText, type Json } from "../../lib/fields.ts";
import { DAMAGED, END } from "../../lib/json-lines.ts";
import { parseRecord } from "../../lib/jsonl.ts";
import type { AgentEnv, ReportedTotal, SessionCounts, SessionSource, SessionTally } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { COPIED, UsageRows } from "../usage-rows.ts";
import { agentIdOf, Bill, type BilledReply } from "./bill.ts";
import type { ClaudeLocator } from "./discover.ts";
import { HeadBuilder, withoutTitleKeys } from "./head.ts";
import { blocksOf, isCall, isChain, isKnownType, kindOf, replyId } from "./record.ts";
import { sessionScan, type SessionScan } from "./session-scan.ts";
import { collectedOf } from "./usage.ts";

export function tally(source: SessionSource, env: AgentEnv, notes: ReadNotes): SessionTally | undefined {
  const rows = new UsageRows();
  const counts = tallyInto(source, env, notes, rows);
  return counts && { ...counts, usage: rows.records(0) };
}

export function tallyInto(
  source: SessionSource,
  _env: AgentEnv,
  notes: ReadNotes,
  rows: UsageRows,
): SessionCounts | undefined {
  const pass = new Pass(source, notes);
  pass.readTranscript();
  if (!pass.builder.sawRecord && source.files[0]!.size > 0) {
    throw new AgentMuxError("PARSE_ERROR", `No record in ${source.path} can be read.`);
  }
  if (!pass.builder.hasConversation) return undefined;
  const counts = pass.counts();
  const head = withoutTitleKeys(pass.builder.build(source));
  for (const path of (source.locator as ClaudeLocator).subagents) pass.readSubagent(path);
  const reportedTotals = pass.putUsage(rows, head.startedMs);
  return { head, ...counts, ...(reportedTotals.length > 0 ? { reportedTotals } : {}) };
}

/** Records that say nothing but what a session is called: nothing around them has to be known. */
const TITLES = new Set(["ai-title", "custom-title", "agent-name"]);

/** Usage of parsed records goes to the scanner, which has that of all others. */
class ScannedUsage {
  readonly #scan: SessionScan;

  constructor(scan: SessionScan) {
    this.#scan = scan;
  }

  get size(): number {
    return this.#scan.usageCount;
  }

  see(record: Json, subagent?: string): void {
    const reply = collectedOf(record, subagent);
    if (reply) this.#scan.seeUsage(reply);
  }
}

class Pass {
  readonly builder = new HeadBuilder();
  readonly #scan: SessionScan = sessionScan();
  readonly #bill = new Bill(new ScannedUsage(this.#scan));
  readonly #source: SessionSource;
  readonly #notes: ReadNotes;
  /** Helpers' transcripts, and how many replies were known before each. */
  readonly #helpers: { name: string; from: number }[] = [];

  constructor(source: SessionSource, notes: ReadNotes) {
    this.#source = source;
    this.#notes = notes;
  }

  counts(): { messageCount: number; turnCount: number } {
    return this.#scan.counts();
  }

  readTranscript(): void {
    const scan = this.#scan;
    const { path } = this.#source;
    try {
      scan.open(path, this.#source.files[0]!.size);
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT") throw new AgentMuxError("SESSION_NOT_FOUND", `${path} is gone.`, { cause: error });
      throw new AgentMuxError("PARSE_ERROR", `${path} cannot be read (${code}).`, { cause: error });
    }
    try {
      this.#goOn();
      for (let state = scan.nextOdd(); state !== END; state = scan.nextOdd()) {
        const record = state === DAMAGED ? undefined : parseRecord(scan.line());
        if (TITLES.has(asText(record?.["type"]) ?? "")) {
          this.#takeParsed(record!);
          continue;
        }
        this.#takeScanned();
        if (record !== undefined) this.#takeParsed(record);
        // The last line of a file that is being written is not damage.
        else if (scan.complete) this.#notes.damage(path);
        this.#goOn();
      }
      this.#takeScanned();
    } finally {
      scan.close();
    }
  }

  #goOn(): void {
    const { hasBegun, hasPrompt, lastReply } = this.builder;
    this.#scan.goOn(hasBegun, hasPrompt, false, lastReply);
  }

  /** What the scanner found before the line it stopped at. */
  #takeScanned(): void {
    const facts = this.#scan.facts();
    this.builder.seeScanned(facts);
    this.#bill.seeTime(facts.lastTime);
    this.#bill.seeTime(facts.noteTime);
  }

  #takeParsed(record: Json): void {
    const type = asText(record["type"]);
    if (!isKnownType(type)) {
      this.#notes.unknown(type ?? "(no type)");
      if (type !== undefined) return;
    }
    this.builder.see(record);
    this.#bill.see(record);
    if (isChain(type)) this.#addChain(record);
    else if (type === "last-prompt" && record["explicit"] === true) this.#scan.goOnFrom(this.#idOf(record["leafUuid"]));
  }

  #addChain(record: Json): void {
    const scan = this.#scan;
    const kind = kindOf(record);
    if (kind === "reply") {
      for (const block of blocksOf(record)) {
        const call = isCall(block) ? this.#idOf(block["id"]) : 0;
        if (call !== 0) scan.addCall(call);
      }
    } else if (kind === "tool-result") {
      for (const block of blocksOf(record)) {
        const call = this.#idOf(block["tool_use_id"]);
        if (call !== 0) scan.addResult(call);
      }
    }
    const parent = this.#idOf(record["parentUuid"]) || this.#idOf(record["logicalParentUuid"]);
    const reply = kind === "reply" ? scan.idOf(replyId(record)) : 0;
    scan.addRecord(kind, this.#idOf(record["uuid"]), parent, record["isSidechain"] === true, reply);
  }

  #idOf(value: unknown): number {
    const text = asText(value);
    return text === undefined ? 0 : this.#scan.idOf(text);
  }

  /** Only what was billed counts of a helper's transcript. */
  readSubagent(path: string): void {
    const name = agentIdOf(path);
    const scan = this.#scan;
    this.#helpers.push({ name, from: scan.usageCount });
    try {
      scan.openHelper(path);
      for (let state = scan.nextOddOfHelper(); state !== END; state = scan.nextOddOfHelper()) {
        const record = parseRecord(scan.line());
        if (record?.["type"] === "assistant") this.#bill.usage.see(record, name);
      }
    } catch (error) {
      this.#notes.skip(path, `cannot be read (${codeOf(error)})`);
    } finally {
      scan.close();
    }
  }

  putUsage(rows: UsageRows, startedMs: number | undefined): ReportedTotal[] {
    const { documented } = this.#bill;
    for (const record of documented) rows.add(record);
    if (documented.length > 0) return [];
    const start = rows.length;
    const helperOf = (index: number): string | undefined => this.#helpers.findLast(({ from }) => from <= index)?.name;
    this.#scan.putUsage(rows, startedMs, helperOf);
    const covered = this.#bill.covered(repliesIn(rows, start), startedMs);
    if (!covered) return [];
    rows.cut(start);
    this.#scan.putUsage(rows, startedMs, helperOf, covered.order);
    return covered.reportedTotals;
  }
}

function* repliesIn(rows: UsageRows, start: number): Generator<BilledReply> {
  for (let row = start; row < rows.length; row++) {
    const at = rows.at[row]!;
    yield {
      at: Number.isNaN(at) ? undefined : at,
      isHelpers: rows.subagent[row] !== 0,
      copied: (rows.flags[row]! & COPIED) !== 0,
    };
  }
}
