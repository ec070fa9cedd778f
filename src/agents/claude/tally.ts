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
import type { AgentEnv, SessionBill, SessionCounts, SessionHead, SessionSource, SessionTally } from "../adapter.ts";
import { countPacker, type CountPacker, type RowPieces } from "../packed-rows.ts";
import type { ReadNotes } from "../read-notes.ts";
import { UsageRows } from "../usage-rows.ts";
import { hasUuid, ownSize, subagentsOf, titleSidecarOf } from "./discover.ts";
import { HeadBuilder, withoutTitleKeys } from "./head.ts";
import { blocksOf, isCall, isChain, isKnownType, kindOf, replyId } from "./record.ts";
import type { Told } from "./record-scan.ts";
import { sessionScan, type SessionScan } from "./session-scan.ts";
import { UsagePass } from "./usage-pass.ts";

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
  return countsOf(pass, source, rows);
}

/** Packs rows of a list from what the scanner has found of transcripts in which nothing has to be parsed. */
export function countRows(pieces: RowPieces): CountPacker {
  const scan = sessionScan();
  const count = (source: SessionSource, _env: AgentEnv, notes: ReadNotes, rows: UsageRows) => {
    const odd = beginTranscript(scan, source);
    // A name that is kept beside the transcript is read from there.
    const mayPack = odd === END && hasUuid(source) && titleSidecarOf(source) === undefined;
    if (!mayPack || !scan.packCounted(source.sessionId)) {
      const pass = new Pass(source, notes);
      pass.readFrom(odd);
      return countsOf(pass, source, rows);
    }
    const head = scan.packedHead();
    const helpers = subagentsOf(source);
    if (helpers.length > 0) {
      const pass = new UsagePass(source, notes);
      for (const path of helpers) pass.readSubagent(path, SOME_HELPER);
      return Object.assign(pass.billOf(head, rows), { packed: true as const });
    }
    // Of most: nothing is made for them that need not be.
    scan.putUsage(rows, head.startedMs, NO_HELPERS);
    return { head, placed: true as const, packed: true as const };
  };
  const readAhead = (source: SessionSource): boolean => {
    if (!scan.ahead.read(source.path)) return false;
    // Looked for now, while the system's part of it is at hand.
    if (titleSidecarOf(source) === undefined) for (const path of subagentsOf(source)) if (!scan.ahead.read(path)) break;
    return true;
  };
  return countPacker(scan, pieces, { count, tallyInto, readAhead });
}

function countsOf(pass: Pass, source: SessionSource, rows: UsageRows): SessionCounts | undefined {
  pass.takeScanned();
  if (!pass.builder.sawRecord && source.files[0]!.size > 0) {
    throw new AgentMuxError("PARSE_ERROR", `No record in ${source.path} can be read.`);
  }
  if (!pass.builder.hasConversation) return undefined;
  const counts = pass.counts();
  const head = withoutTitleKeys(pass.builder.build(source));
  for (const path of subagentsOf(source)) pass.readSubagent(path);
  return Object.assign(pass.billOf(head, rows), counts);
}

/** What decides whose a request is comes first in a transcript; after that only replies are looked at. */
export function billInto(
  source: SessionSource,
  _env: AgentEnv,
  notes: ReadNotes,
  rows: UsageRows,
): SessionBill | undefined {
  const pass = new BillPass(source, notes);
  const head = pass.readTranscript();
  if (head === undefined) return undefined;
  for (const path of subagentsOf(source)) pass.readSubagent(path);
  return pass.billOf(head, rows);
}

class BillPass extends UsagePass {
  /** Undefined when it takes more than this to tell. */
  readTranscript(): SessionHead | undefined {
    const { scan } = this;
    try {
      scan.openForBill(this.source.path);
      let hasConversation = false;
      for (let state = scan.nextOddOfBill(); state !== END; state = scan.nextOddOfBill()) {
        const { bill } = this;
        const { firstMs, replyTime } = scan.billFacts();
        if (firstMs === undefined) return undefined;
        const record = state === DAMAGED ? undefined : parseRecord(scan.line());
        if (record === undefined) {
          if (scan.complete) this.notes.damage(this.source.path);
          continue;
        }
        bill.seeTime(replyTime);
        bill.see(record);
        if (bill.documented.length > 0) return undefined;
        hasConversation ||= record["isSidechain"] !== true && kindOf(record) !== "context";
      }
      const facts = scan.billFacts();
      const { firstMs, startedMs } = facts;
      if (firstMs === undefined || !(hasConversation || facts.hasConversation)) return undefined;
      return startedMs === undefined
        ? { title: "", createdMs: firstMs }
        : { title: "", createdMs: startedMs, startedMs };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      // Who counts it tells that it cannot be read.
      return undefined;
    } finally {
      scan.close();
    }
  }
}

const NOTHING_TOLD: Told = { hasBegun: false, hasPrompt: false, isDated: false, lastReply: undefined };
/** Of a transcript whose size nobody has looked at. */
const USUAL_BYTES = 256 * 1024;
const NO_HELPERS: readonly never[] = [];
/** A row shows what helpers cost together, and not who they were. */
const SOME_HELPER = "sidechain";

/** Goes to the first line of a transcript that has to be parsed, and tells what it is. */
function beginTranscript(scan: SessionScan, source: SessionSource): number {
  const { path } = source;
  try {
    scan.open(path, ownSize(source) ?? USUAL_BYTES);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") throw new AgentMuxError("SESSION_NOT_FOUND", `${path} is gone.`, { cause: error });
    throw new AgentMuxError("PARSE_ERROR", `${path} cannot be read (${code}).`, { cause: error });
  }
  try {
    scan.goOn(NOTHING_TOLD, false);
    return scan.nextOdd();
  } catch (error) {
    scan.close();
    throw error;
  }
}

class Pass extends UsagePass {
  /** Made when it is needed: of a row that is packed, the scanner knows all. */
  #builder: HeadBuilder | undefined;

  get builder(): HeadBuilder {
    this.#builder ??= new HeadBuilder();
    return this.#builder;
  }

  counts(): { messageCount: number; turnCount: number } {
    return this.scan.counts();
  }

  readTranscript(): void {
    this.readFrom(beginTranscript(this.scan, this.source));
  }

  /** From the first line that has to be parsed on. */
  readFrom(first: number): void {
    const scan = this.scan;
    const { path } = this.source;
    try {
      for (let state = first; state !== END; state = scan.nextOdd()) {
        const record = state === DAMAGED ? undefined : parseRecord(scan.line());
        this.takeScanned();
        if (record !== undefined) this.#takeParsed(record);
        // The last line of a file that is being written is not damage.
        else if (scan.complete) this.notes.damage(path);
        scan.goOn(this.builder, false);
      }
    } finally {
      scan.close();
    }
  }

  /** What the scanner found before the line it stopped at, or before the end. */
  takeScanned(): void {
    const facts = this.scan.facts();
    this.builder.seeScanned(facts);
    this.bill.seeTime(facts.replyTime);
  }

  #takeParsed(record: Json): void {
    const type = asText(record["type"]);
    if (!isKnownType(type)) {
      this.notes.unknown(type ?? "(no type)");
      if (type !== undefined) return;
    }
    this.builder.see(record);
    this.bill.see(record);
    if (isChain(type)) this.#addChain(record);
    else if (type === "last-prompt" && record["explicit"] === true) this.scan.goOnFrom(this.#idOf(record["leafUuid"]));
  }

  #addChain(record: Json): void {
    const scan = this.scan;
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
    return text === undefined ? 0 : this.scan.idOf(text);
  }
}
