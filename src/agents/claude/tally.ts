/**
 * Counts and bill of a session in one pass over its bytes. Records are read by the scanner (`record-scan.ts`); those it
 * is not sure about, prompts, and the few kinds with facts of their own are parsed and go the way of `session.ts`.
 */
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/directory.ts";
import { asText, type Json } from "../../lib/fields.ts";
import { DAMAGED, END, RECORD } from "../../lib/json-lines.ts";
import { parseRecord } from "../../lib/jsonl.ts";
import type { AgentEnv, SessionSource, SessionTally } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { agentIdOf, Bill } from "./bill.ts";
import { ConversationCount } from "./conversation-count.ts";
import type { ClaudeLocator } from "./discover.ts";
import { HeadBuilder } from "./head.ts";
import { blocksOf, isCall, isChain, isKnownType, kindOf, replyId, type RecordKind } from "./record.ts";
import { recordScan, type RecordScan } from "./record-scan.ts";
import type { Collected } from "./usage.ts";

export function tally(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionTally | undefined {
  const scan = recordScan();
  const pass = new Pass(scan, source, notes);
  pass.readTranscript();
  if (!pass.builder.sawRecord && source.files[0]!.size > 0) {
    throw new AgentMuxError("PARSE_ERROR", `No record in ${source.path} can be read.`);
  }
  if (!pass.builder.hasConversation) return undefined;
  const counts = conversation.count();
  const head = pass.builder.build(source, (id) => scan.lines.kept(id));
  for (const path of (source.locator as ClaudeLocator).subagents) pass.readSubagent(path);
  const { usage, reportedTotals } = pass.bill.settle(head.startedMs);
  return { head, ...counts, usage, ...(reportedTotals.length > 0 ? { reportedTotals } : {}) };
}

/** Its arrays are worth keeping from one session to the next. */
const conversation = new ConversationCount();

class Pass {
  readonly builder = new HeadBuilder();
  readonly bill = new Bill();
  readonly #scan: RecordScan;
  readonly #source: SessionSource;
  readonly #notes: ReadNotes;
  /** Replies of the file that is read, by the number of their id. */
  #replies: (Collected | undefined)[] = [];
  #lastReply = 0;

  constructor(scan: RecordScan, source: SessionSource, notes: ReadNotes) {
    this.#scan = scan;
    this.#source = source;
    this.#notes = notes;
  }

  readTranscript(): void {
    const { path } = this.#source;
    conversation.clear();
    try {
      this.#scan.lines.open(path, this.#source.files[0]!.size);
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT") throw new AgentMuxError("SESSION_NOT_FOUND", `${path} is gone.`, { cause: error });
      throw new AgentMuxError("PARSE_ERROR", `${path} cannot be read (${code}).`, { cause: error });
    }
    this.#eachLine((state) => {
      if (state === RECORD && this.#takeScanned()) return;
      const record = state === DAMAGED ? undefined : parseRecord(this.#scan.lines.line());
      if (record !== undefined) this.#takeParsed(record);
      // The last line of a file that is being written is not damage.
      else if (this.#scan.lines.complete) this.#notes.damage(path);
    });
  }

  #eachLine(take: (state: number) => void): void {
    const { lines } = this.#scan;
    this.#replies = [];
    this.#lastReply = 0;
    try {
      for (let state = lines.next(); state !== END; state = lines.next()) take(state);
    } finally {
      lines.close();
    }
  }

  /** False when the record has to be parsed. */
  #takeScanned(): boolean {
    const scan = this.#scan;
    const { kind } = scan;
    if (kind === undefined) return this.#takeLastPrompt();
    if (!this.builder.hasBegun || scan.isUnusual || (kind === "prompt" && !this.builder.hasPrompt)) return false;

    const at = scan.time;
    const isSide = scan.isSidechain;
    this.builder.seeFacts(at, scan.cwd, scan.branch, scan.version);
    this.bill.seeTime(at);
    if (!isSide) this.#seeMainLine(kind);
    if (scan.isAssistant) this.#takeUsage(isSide ? (scan.agentId ?? "sidechain") : undefined);
    if (kind === "tool-result") scan.results(addResult);
    else if (kind === "reply") scan.calls(addCall);
    conversation.add(kind, scan.uuidId, scan.parentId, isSide, scan.messageIdId);
    return true;
  }

  #takeLastPrompt(): boolean {
    if (!this.#scan.isPlainLastPrompt) return false;
    this.builder.sawRecord = true;
    this.bill.seeTime(this.#scan.time);
    return true;
  }

  #seeMainLine(kind: RecordKind): void {
    const scan = this.#scan;
    if (this.builder.needsIds && scan.uuidId !== 0) this.builder.seeId(scan.keepUuid());
    if (kind !== "context") this.builder.hasConversation = true;
    if (kind !== "reply" || scan.messageIdId === this.#lastReply) return;
    this.#lastReply = scan.messageIdId;
    this.builder.seeReply(scan.messageId, scan.model);
  }

  /** Takes an assistant record; false when it has to be parsed. */
  #takeUsage(subagent: string | undefined): boolean {
    const scan = this.#scan;
    const { model } = scan;
    if (!scan.hasUsage || model === "" || model === "<synthetic>" || scan.isApiErrorMessage) return true;
    const id = scan.messageIdId;
    if (id === 0) return false;
    const { usage } = this.bill;
    let reply = this.#replies[id];
    if (reply === undefined) {
      reply = usage.find(scan.messageId);
      this.#replies[id] = reply ?? usage.begin(this.#newReply(model, subagent));
    }
    if (reply !== undefined) usage.add(reply, scan.tokens, scan.isFinished, scan.hasRequestId, subagent);
    return true;
  }

  #newReply(model: string, subagent: string | undefined): Collected {
    const scan = this.#scan;
    return {
      key: scan.messageId,
      at: scan.time,
      model,
      tokens: scan.tokens,
      finished: scan.isFinished,
      hasRequestId: scan.hasRequestId,
      branched: false,
      subagent,
      cwd: scan.cwd,
      branch: scan.branch,
      reportedMicroUsd: undefined,
      modifiers: scan.modifiers,
      webSearches: scan.webSearches,
    };
  }

  #takeParsed(record: Json): void {
    const type = asText(record["type"]);
    if (!isKnownType(type)) {
      this.#notes.unknown(type ?? "(no type)");
      if (type !== undefined) return;
    }
    this.builder.see(record);
    this.bill.see(record);
    if (isChain(type)) this.#addChain(record);
    else if (type === "last-prompt" && record["explicit"] === true) {
      const leaf = asText(record["leafUuid"]);
      conversation.goOnFrom(leaf === undefined ? 0 : this.#scan.lines.idOf(leaf));
    }
  }

  #addChain(record: Json): void {
    const { lines } = this.#scan;
    this.#lastReply = 0;
    const idOf = (value: unknown): number => {
      const text = asText(value);
      return text === undefined ? 0 : lines.idOf(text);
    };
    const kind = kindOf(record);
    let reply = 0;
    if (kind === "reply") {
      reply = lines.idOf(replyId(record));
      for (const block of blocksOf(record)) {
        const call = isCall(block) ? idOf(block["id"]) : 0;
        if (call !== 0) conversation.addCall(call);
      }
    } else if (kind === "tool-result") {
      for (const block of blocksOf(record)) {
        const call = idOf(block["tool_use_id"]);
        if (call !== 0) conversation.addResult(call);
      }
    }
    const parent = idOf(record["parentUuid"]) || idOf(record["logicalParentUuid"]);
    conversation.add(kind, idOf(record["uuid"]), parent, record["isSidechain"] === true, reply);
  }

  /** Only what was billed counts of a helper's transcript. */
  readSubagent(path: string): void {
    const subagent = agentIdOf(path);
    const scan = this.#scan;
    try {
      scan.lines.open(path, this.#source.files.find((file) => file.path === path)?.size ?? 0);
      this.#eachLine((state) => {
        if (state === DAMAGED || (state === RECORD && !scan.isAssistant)) return;
        if (state === RECORD && !scan.isUnusual && this.#takeUsage(subagent)) return;
        const record = parseRecord(scan.lines.line());
        if (record?.["type"] === "assistant") this.bill.usage.see(record, subagent);
      });
    } catch (error) {
      this.#notes.skip(path, `cannot be read (${codeOf(error)})`);
    }
  }
}

function addCall(id: number): void {
  conversation.addCall(id);
}

function addResult(id: number): void {
  conversation.addResult(id);
}
