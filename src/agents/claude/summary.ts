/** What a list shows of a session, from the first and the last lines of its transcript. */
import { endsAtOnce, readCutEnds, type FileEnds } from "../../lib/file-ends.ts";
import { CHUNK_BYTES, DAMAGED, END } from "../../lib/json-lines.ts";
import { parseRecord, readEnds, readLines, splitLines } from "../../lib/jsonl.ts";
import { asText, type Json } from "../../lib/fields.ts";
import { titleFrom } from "../../lib/text.ts";
import type { AgentEnv, SessionHead, SessionSource } from "../adapter.ts";
import { rowPacker, type RowPacker, type RowPieces } from "../packed-rows.ts";
import type { ReadNotes } from "../read-notes.ts";
import { hasUuid, ownSize, titleSidecarOf } from "./discover.ts";
import { HeadBuilder, sidecarTitle } from "./head.ts";
import { isChain, isUnread, kindOf, modelOf, timeOf } from "./record.ts";
import type { ListedFacts } from "./record-scan.ts";
import { sessionScan } from "./session-scan.ts";

/** The first prompt and the first reply are mostly among the first records. */
const HEAD_BYTES = 8 * 1024;
/** Titles are repeated near the end; for the rest the last reply and what follows it suffice. */
const TAIL_BYTES = 12 * 1024;
/** How far to look for the last dated record when that is very long. */
const LAST_SEARCH_BYTES = 64 * 1024 * 1024;
/** How far to look for the first prompt when large attachments push it out of the head. */
const PROMPT_SEARCH_BYTES = 2 * 1024 * 1024;

export function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const scan = sessionScan();
  let read: FileEnds;
  try {
    read = scan.readEnds(source.path, ownSize(source), HEAD_BYTES, TAIL_BYTES);
  } catch (error) {
    notes.skip(source.path, `cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`);
    return undefined;
  }
  const listed = scan.listed(read);
  return listed === undefined || !hasRecord(listed) ? parsedHead(source, read, notes) : listedHead(listed, source);
}

/** Packs rows of a list from the same lines. */
export function packRows(pieces: RowPieces): RowPacker {
  const scan = sessionScan();
  return rowPacker(scan, pieces, {
    atOnce: endsAtOnce(CHUNK_BYTES, HEAD_BYTES, TAIL_BYTES),
    read(source, slot) {
      // A name that is kept beside the transcript is read from there.
      if (!hasUuid(source) || titleSidecarOf(source) !== undefined) return undefined;
      return scan.readEnds(source.path, ownSize(source), HEAD_BYTES, TAIL_BYTES, readCutEnds, slot);
    },
    pack: ({ sessionId }, ends) => scan.packRow(ends, sessionId),
  });
}

/** The same by parsing whatever the scanner does not take one by one, with which the above has to agree. */
export function summarizeByParsing(source: SessionSource, notes: ReadNotes): SessionHead | undefined {
  return parsedHead(source, sessionScan().readEnds(source.path, ownSize(source), HEAD_BYTES, TAIL_BYTES), notes);
}

function hasRecord({ hasNote, lastTime, hasConversation }: ListedFacts): boolean {
  return hasNote || lastTime !== undefined || hasConversation;
}

/** The head of a transcript whose ends hold nothing that has to be parsed. */
function listedHead(facts: ListedFacts, source: SessionSource): SessionHead | undefined {
  if (!facts.hasConversation) return undefined;
  const { startedMs, firstUuid, firstReply } = facts;
  const beside = facts.isNamedByUser ? undefined : sidecarTitle(source);
  const createdMs = startedMs ?? facts.firstTime;
  const head: SessionHead = { title: beside === undefined ? facts.title : titleFrom(beside) };
  if (createdMs !== undefined) head.createdMs = createdMs;
  if (facts.lastTime !== undefined) head.updatedMs = facts.lastTime;
  if (facts.model !== undefined) head.model = facts.model;
  if (facts.cwd !== undefined) head.cwd = facts.cwd;
  if (facts.branch !== undefined) head.branch = facts.branch;
  if (facts.version !== undefined) head.agentVersion = facts.version;
  if (startedMs !== undefined) head.startedMs = startedMs;
  if (firstUuid !== "") head.familyKeys = firstReply === "" ? [firstUuid] : [firstUuid, firstReply];
  else if (firstReply !== "") head.familyKeys = [firstReply];
  if (!facts.isNamed && beside === undefined && firstUuid !== "") head.titleKeys = [firstUuid];
  return head;
}

function parsedHead(source: SessionSource, read: FileEnds, notes: ReadNotes): SessionHead | undefined {
  const ends = new Ends(source, read);
  ends.seeHead();
  ends.seeTail();
  const { builder } = ends;
  if (!ends.isEmpty && !builder.sawRecord) notes.skip(source.path, "holds no readable record");
  return builder.hasConversation ? builder.build(source, !read.whole) : undefined;
}

/** Ids of the last records, by which another session's file may name this one. */
export function titleKeys(source: SessionSource): string[] {
  try {
    const read = sessionScan().readEnds(source.path, ownSize(source), HEAD_BYTES, TAIL_BYTES);
    const ends = new Ends(source, read, true);
    ends.seeAll();
    return ends.builder.recentIds;
  } catch {
    // Gone since it was listed.
    return [];
  }
}

/** The first and the last lines of a transcript, seen by the scanner, which stops only at records that must be parsed. */
class Ends {
  readonly builder = new HeadBuilder();
  readonly #scan = sessionScan();
  readonly #source: SessionSource;
  readonly #needsIds: boolean;
  readonly #ends: FileEnds;

  /** `ends`: what the scanner has just read. */
  constructor(source: SessionSource, ends: FileEnds, needsIds = false) {
    this.#source = source;
    this.#ends = ends;
    this.#needsIds = needsIds;
    this.#scan.begin();
    this.#goOn();
  }

  get isEmpty(): boolean {
    return this.#ends.headEnd === this.#ends.head;
  }

  seeAll(): void {
    this.#see(this.#ends.head, this.#ends.headEnd);
    this.#see(this.#ends.tail, this.#ends.tailEnd);
    this.#takeFacts();
  }

  seeHead(): void {
    const { head, headEnd, whole } = this.#ends;
    if (whole) this.#see(head, headEnd);
    else {
      for (let from = head; from < headEnd && !this.builder.knowsBeginning;) {
        const to = this.#scan.lineEnd(from, headEnd);
        this.#see(from, to);
        this.#takeFacts();
        from = to;
      }
    }
    if (whole || this.builder.hasPrompt) return;
    for (const line of readLines(this.#source.path, { to: PROMPT_SEARCH_BYTES })) {
      this.builder.seePromptOnly(line.bytes);
      if (this.builder.hasPrompt) return;
    }
  }

  seeTail(): void {
    const { tail, tailEnd, whole } = this.#ends;
    const before = this.builder.lastMs;
    if (tail < tailEnd) {
      const last = this.#lastReply();
      for (const line of this.#scan.linesWith(TITLE_MARK, tail, last)) this.builder.seeLine(line);
      this.#goOn();
      this.#see(last, tailEnd);
    }
    this.#takeFacts();
    if (!whole && this.builder.lastMs === before) this.#seeFurtherBack();
    // Records that are passed over are records too.
    if (this.builder.sawRecord) return;
    const { head, headEnd } = this.#ends;
    const lines = [
      ...splitLines(this.#scan.bytesFrom(head, headEnd), true),
      ...splitLines(this.#scan.bytesFrom(tail, tailEnd), false),
    ];
    this.builder.sawRecord = lines.some(isUnread);
  }

  /** Where the last reply among the last lines begins; where these begin when there is none. */
  #lastReply(): number {
    const { tail, tailEnd } = this.#ends;
    const bytes = this.#scan.bytesFrom(tail, tailEnd);
    for (const line of splitLines(bytes, false).toReversed()) {
      const record = isUnread(line) ? undefined : parseRecord(line);
      if (record && isReply(record)) return tail + line.byteOffset - bytes.byteOffset;
    }
    return tail;
  }

  /** The last record is longer than what was read, or only undated ones stand there. */
  #seeFurtherBack(): void {
    for (let bytes = 8 * TAIL_BYTES; ; bytes *= 8) {
      const { head, tail, whole } = readEnds(this.#source.path, HEAD_BYTES, bytes);
      const last = lastDated(splitLines(whole && tail.length === 0 ? head : tail, false));
      if (last !== undefined) this.builder.see(last);
      if (last !== undefined || whole || bytes > LAST_SEARCH_BYTES) return;
    }
  }

  #see(from: number, to: number): void {
    if (from >= to) return;
    const scan = this.#scan;
    scan.openLines(from, to);
    for (let state = scan.nextOdd(); state !== END; state = scan.nextOdd()) {
      const record = state === DAMAGED ? undefined : parseRecord(scan.line());
      if (!record) continue;
      this.#takeFacts();
      this.builder.see(record);
      this.#goOn();
    }
  }

  #takeFacts(): void {
    this.builder.seeScanned(this.#scan.facts());
    this.#goOn();
  }

  #goOn(): void {
    this.#scan.goOn(this.builder, this.#needsIds);
  }
}

/** Of the main line, and of a model that is named. */
function isReply(record: Json): boolean {
  return record["isSidechain"] !== true && kindOf(record) === "reply" && modelOf(record) !== undefined;
}

function lastDated(lines: readonly Buffer[]): Json | undefined {
  for (const line of lines.toReversed()) {
    const record = parseRecord(line);
    if (record && isChain(asText(record["type"])) && timeOf(record) !== undefined) return record;
  }
  return undefined;
}

/** In the type of every record that names its session. */
const TITLE_MARK = '-title"';
