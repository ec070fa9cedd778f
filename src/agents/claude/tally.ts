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
import type { AgentEnv, SessionSource, SessionTally } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { agentIdOf, Bill } from "./bill.ts";
import type { ClaudeLocator } from "./discover.ts";
import { HeadBuilder } from "./head.ts";
import { blocksOf, isCall, isChain, isKnownType, kindOf, replyId } from "./record.ts";
import { recordScan, type RecordScan } from "./record-scan.ts";
import type { Collected } from "./usage.ts";

export function tally(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionTally | undefined {
  const pass = new Pass(source, notes);
  pass.readTranscript();
  if (!pass.builder.sawRecord && source.files[0]!.size > 0) {
    throw new AgentMuxError("PARSE_ERROR", `No record in ${source.path} can be read.`);
  }
  if (!pass.builder.hasConversation) return undefined;
  const counts = pass.counts();
  const head = pass.builder.build(source);
  for (const path of (source.locator as ClaudeLocator).subagents) pass.readSubagent(path);
  const { usage, reportedTotals } = pass.bill.settle(head.startedMs);
  return { head, ...counts, usage, ...(reportedTotals.length > 0 ? { reportedTotals } : {}) };
}

class Pass {
  readonly builder = new HeadBuilder();
  readonly bill = new Bill();
  readonly #scan: RecordScan = recordScan();
  readonly #source: SessionSource;
  readonly #notes: ReadNotes;

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
    const { hasBegun, hasPrompt, needsIds, lastReply } = this.builder;
    this.#scan.goOn(hasBegun, hasPrompt, needsIds, lastReply);
  }

  /** What the scanner found before the line it stopped at. */
  #takeScanned(): void {
    const facts = this.#scan.facts();
    this.builder.seeScanned(facts);
    this.bill.seeTime(facts.lastTime);
    this.bill.seeTime(facts.noteTime);
    this.#scan.takeUsage(this.#takeReply);
  }

  readonly #takeReply = (reply: Collected): void => {
    const { usage } = this.bill;
    const known = usage.find(reply.key);
    if (known === undefined) usage.begin(reply);
    else usage.add(known, reply.tokens, reply.finished, reply.hasRequestId, reply.subagent);
  };

  #takeParsed(record: Json): void {
    const type = asText(record["type"]);
    if (!isKnownType(type)) {
      this.#notes.unknown(type ?? "(no type)");
      if (type !== undefined) return;
    }
    this.builder.see(record);
    this.bill.see(record);
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
    const subagent = agentIdOf(path);
    const scan = this.#scan;
    try {
      scan.open(path, this.#source.files.find((file) => file.path === path)?.size ?? 0);
      for (let state = scan.nextOddOfHelper(); state !== END; state = scan.nextOddOfHelper()) {
        const record = parseRecord(scan.line());
        scan.takeUsage(this.#takeReply, subagent);
        if (record?.["type"] === "assistant") this.bill.usage.see(record, subagent);
        this.#goOn();
      }
      scan.takeUsage(this.#takeReply, subagent);
    } catch (error) {
      this.#notes.skip(path, `cannot be read (${codeOf(error)})`);
    } finally {
      scan.close();
    }
  }
}
