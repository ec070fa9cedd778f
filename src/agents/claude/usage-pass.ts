/** What a session's transcripts bill, gathered by the scanner, whoever reads the transcript itself. */
import { codeOf } from "../../lib/directory.ts";
import type { Json } from "../../lib/fields.ts";
import { END } from "../../lib/json-lines.ts";
import { parseRecord } from "../../lib/jsonl.ts";
import type { SessionBill, SessionHead, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { COPIED, type UsageRows } from "../usage-rows.ts";
import { agentIdOf, Bill, type BilledReply } from "./bill.ts";
import { sessionScan, type HelperTranscript, type SessionScan } from "./session-scan.ts";
import { collectedOf } from "./usage.ts";

/** Usage of parsed records goes to the scanner, which has that of all others. */
class ScannedUsage {
  readonly #scan: SessionScan;

  constructor(scan: SessionScan) {
    this.#scan = scan;
  }

  get size(): number {
    return this.#scan.usageCount;
  }

  see(record: Json, subagent?: string): number | undefined {
    const reply = collectedOf(record, subagent);
    if (reply) this.#scan.seeUsage(reply);
    return reply?.at;
  }

  seeSearches(key: string, searches: number): void {
    this.#scan.seeSearches(key, searches);
  }
}

export class UsagePass {
  protected readonly scan: SessionScan = sessionScan();
  /** Made when the first record is parsed: most transcripts have none that must be. */
  #bill: Bill<ScannedUsage> | undefined;
  protected readonly source: SessionSource;
  protected readonly notes: ReadNotes;
  readonly #helpers: HelperTranscript[] = [];

  constructor(source: SessionSource, notes: ReadNotes) {
    this.source = source;
    this.notes = notes;
  }

  protected get bill(): Bill<ScannedUsage> {
    this.#bill ??= new Bill(new ScannedUsage(this.scan));
    return this.#bill;
  }

  /** Only what was billed counts of a helper's transcript. `name`: the helper's. */
  readSubagent(path: string, name = agentIdOf(path)): void {
    const scan = this.scan;
    if (this.#helpers.at(-1)?.name !== name) this.#helpers.push({ name, from: scan.usageCount });
    try {
      scan.openHelper(path);
      for (let state = scan.nextOddOfHelper(); state !== END; state = scan.nextOddOfHelper()) {
        this.bill.seeHelper(parseRecord(scan.line()), name);
      }
    } catch (error) {
      this.notes.skip(path, `cannot be read (${codeOf(error)})`);
    } finally {
      scan.close();
    }
  }

  /** Adds the usage to rows. */
  billOf(head: SessionHead, rows: UsageRows): SessionBill {
    const documented = this.#bill?.documented ?? NONE;
    for (const record of documented) rows.add(record);
    if (documented.length > 0) return { head };
    const start = rows.length;
    this.scan.putUsage(rows, head.startedMs, this.#helpers);
    if (!this.#bill?.hasTotal) return { head, placed: true };
    const covered = this.#bill.covered(repliesIn(rows, start), head.startedMs);
    if (!covered) return { head, placed: true };
    rows.cut(start);
    this.scan.putUsage(rows, head.startedMs, this.#helpers, covered.order);
    return { head, placed: true, reportedTotals: covered.reportedTotals };
  }
}

const NONE: readonly never[] = [];

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
