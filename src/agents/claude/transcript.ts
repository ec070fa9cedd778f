/**
 * The conversation in one transcript file. Two passes: the first notes where each record lies, what it is and what it
 * hangs on; the second builds messages one by one from those places. A large file is never held in memory.
 */
import { closeSync, openSync } from "node:fs";
import type { SessionMessage } from "../../core/session.ts";
import { asText, type Json } from "../../lib/fields.ts";
import { parseRecord, readAt, readLines } from "../../lib/jsonl.ts";
import { TurnCounter } from "../in-memory.ts";
import { RecordTable } from "./record-table.ts";
import type { ReadNotes } from "../read-notes.ts";
import { buildReply, buildToolResults, buildUser, type ToolResultOf } from "./message.ts";
import { blocksOf, isCall, isChain, isKnownType, isUnread, kindOf, replyId, type RecordKind } from "./record.ts";

export interface TranscriptOptions {
  /** In a sub-agent's own file every record is marked as side-chain and is the main line. */
  subagentFile?: boolean;
  onRecord?: (record: Json) => void;
  /** Only what lies behind it. */
  from?: TranscriptPoint;
}

/** What must be known of all before an offset to read the file from there on. */
export interface TranscriptPoint {
  offset: number;
  /** Of the record there: what it hangs on, as a number. */
  parent: number;
  /** Calls that had no result yet: names of tools by id. */
  calls: Record<string, string>;
  /** Ids of the replies before it, the last ones. */
  replies: string[];
}

export class Transcript {
  readonly path: string;
  readonly #records = new RecordTable();
  readonly #parents: number[] = [];
  readonly #sidechain: number[] = [];
  readonly #indexOf = new Map<number, number>();
  readonly #lastOfReply = new Map<string, number>();
  readonly #resultAt = new Map<string, number>();
  readonly #callerOf = new Map<string, number>();
  readonly #toolOf = new Map<string, string>();
  readonly #toolNames = new Map<string, string>();
  readonly #resultIds = new Map<number, string[]>();
  #explicitLeaf: string | undefined;
  #onPath: Uint8Array | undefined;
  /** The records of a file that is small enough to be held: none of them has to be parsed again. */
  #kept: Json[] | undefined = [];
  readonly #from: TranscriptPoint | undefined;
  /** What was read changes what lies before it. */
  #changesPast = false;

  constructor(path: string, notes: ReadNotes, options: TranscriptOptions = {}) {
    this.path = path;
    this.#from = options.from;
    const from = options.from?.offset ?? 0;
    for (const [callId, tool] of Object.entries(options.from?.calls ?? {})) {
      this.#callerOf.set(callId, BEFORE);
      this.#toolOf.set(callId, tool);
    }
    const onLongLine = (): void => notes.damage(path);
    for (const line of readLines(path, { onLongLine, from })) {
      if (isUnread(line.bytes)) continue;
      const record = parseRecord(line.bytes);
      if (record === undefined) {
        // The last line of a file that is being written is not damage.
        if (line.complete) notes.damage(path);
        continue;
      }
      const type = asText(record["type"]);
      if (!isKnownType(type)) {
        notes.unknown(type ?? "(no type)");
        if (type !== undefined) continue;
      }
      options.onRecord?.(record);
      if (line.offset - from > MAX_KEPT_BYTES) this.#kept = undefined;
      if (isChain(type)) this.#addChain(record, line.offset, line.bytes.length, options.subagentFile ?? false);
      else if (type === "last-prompt" && record["explicit"] === true) this.#explicitLeaf = asText(record["leafUuid"]);
    }
  }

  get recordCount(): number {
    return this.#records.length;
  }

  #addChain(record: Json, offset: number, length: number, subagentFile: boolean): void {
    const kind = kindOf(record);
    const index = this.#records.add(offset, length, kind);
    this.#kept?.push(record);
    const uuid = asText(record["uuid"]);
    if (uuid !== undefined) this.#indexOf.set(idNumber(uuid), index);
    // A compaction boundary has no parent but says what it follows.
    const parent = asText(record["parentUuid"]) ?? asText(record["logicalParentUuid"]);
    this.#parents.push(parent === undefined ? NO_PARENT : idNumber(parent));
    this.#explicitLeaf = undefined;
    if (record["isSidechain"] === true && !subagentFile) this.#sidechain.push(index);

    if (this.#from && this.#isOfPast(record, kind)) this.#changesPast = true;
    if (kind === "reply") {
      const id = replyId(record);
      const previous = this.#lastOfReply.get(id);
      if (previous !== undefined) this.#records.link(previous, index);
      this.#lastOfReply.set(id, index);
      for (const block of blocksOf(record)) {
        const callId = asText(block["id"]);
        if (!isCall(block) || callId === undefined) continue;
        this.#callerOf.set(callId, index);
        this.#toolOf.set(callId, this.#intern(asText(block["name"]) ?? ""));
      }
    } else if (kind === "tool-result") {
      const ids: string[] = [];
      for (const block of blocksOf(record)) {
        const callId = asText(block["tool_use_id"]);
        if (callId === undefined) continue;
        this.#resultAt.set(callId, index);
        ids.push(callId);
      }
      this.#resultIds.set(index, ids);
    }
  }

  /** Belongs to something that lies before the point this was read from, or to a side-chain that may. */
  #isOfPast(record: Json, kind: RecordKind): boolean {
    if (record["isSidechain"] === true) return true;
    if (kind === "reply") return this.#from!.replies.includes(replyId(record));
    if (kind !== "tool-result") return false;
    return blocksOf(record).some((block) => {
      const callId = asText(block["tool_use_id"]);
      return callId !== undefined && !this.#callerOf.has(callId);
    });
  }

  /** One string for each tool instead of one for each call. */
  #intern(name: string): string {
    const known = this.#toolNames.get(name);
    if (known !== undefined) return known;
    this.#toolNames.set(name, name);
    return name;
  }

  /** Messages of the main line, in order. */
  *messages(): Generator<SessionMessage> {
    const main = this.#mainLine();
    yield* this.#build((index) => main[index] === 1);
  }

  /** Side-chains that versions before 2.0.28 wrote into the main file: one list of messages each, by their first record. */
  *sidechains(): Generator<{ first: Json; messages: SessionMessage[] }> {
    const roots = new Map<number, Set<number>>();
    const rootOf = new Map<number, number>();
    for (const index of this.#sidechain) {
      const parent = this.#indexOf.get(this.#parents[index]!);
      const root = (parent === undefined ? undefined : rootOf.get(parent)) ?? index;
      rootOf.set(index, root);
      const members = roots.get(root) ?? new Set();
      members.add(index);
      roots.set(root, members);
    }
    if (roots.size === 0) return;
    const fd = openSync(this.path, "r");
    try {
      for (const [root, members] of roots) {
        const first = this.#recordAt(fd, root);
        if (first) yield { first, messages: [...this.#build((index) => members.has(index))] };
      }
    } finally {
      closeSync(fd);
    }
  }

  *#build(included: (index: number) => boolean): Generator<SessionMessage> {
    const fd = openSync(this.path, "r");
    try {
      const resultOf: ToolResultOf = (callId) => {
        const index = this.#resultAt.get(callId);
        return index === undefined ? undefined : this.#recordAt(fd, index);
      };
      for (let index = 0; index < this.#records.length; index++) {
        const kind = this.#records.kind(index);
        if (!this.#isShown(index, kind, included)) continue;
        const record = this.#recordAt(fd, index);
        if (record === undefined) continue;
        if (kind === "reply") yield buildReply(this.#recordsOfReply(fd, index), resultOf);
        else if (kind === "tool-result") yield* buildToolResults(record, (callId) => this.#toolOf.get(callId) ?? "");
        else yield buildUser(record, kind);
      }
    } finally {
      closeSync(fd);
    }
  }

  #isShown(index: number, kind: RecordKind, included: (index: number) => boolean): boolean {
    if (kind === "context" || !this.#records.leads(index)) return false;
    if (included(index)) return true;
    // Results of parallel calls hang off the path; they belong to it when their call does.
    if (kind === "tool-result") {
      return (this.#resultIds.get(index) ?? []).some((id) => {
        const caller = this.#callerOf.get(id);
        return caller !== undefined && (caller === BEFORE || included(caller));
      });
    }
    if (kind === "reply") for (const part of this.#records.reply(index)) if (included(part)) return true;
    return false;
  }

  #recordsOfReply(fd: number, index: number): Json[] {
    const parts: Json[] = [];
    for (const part of this.#records.reply(index)) {
      const record = this.#recordAt(fd, part);
      if (record) parts.push(record);
    }
    return parts;
  }

  #recordAt(fd: number, index: number): Json | undefined {
    return this.#kept?.[index] ?? parseRecord(readAt(fd, this.#records.offset(index), this.#records.size(index)));
  }

  /** Marks the records from the newest leaf back to the root. What a rewind left behind stays unmarked. */
  #mainLine(): Uint8Array {
    if (this.#onPath) return this.#onPath;
    const marked = new Uint8Array(this.#records.length);
    const side = new Set(this.#sidechain);
    let index = this.#leaf(side);
    while (index !== undefined && marked[index] === 0) {
      marked[index] = 1;
      const parent = this.#indexOf.get(this.#parents[index]!);
      if (parent === undefined && this.#from) {
        // Whatever else it hangs on is somewhere in the past.
        if (this.#parents[index] !== this.#from.parent) this.#changesPast = true;
        break;
      }
      // A chain that breaks (a damaged line, a parent in another file) goes on with the record before it.
      index = parent ?? (this.#parents[index] === NO_PARENT ? undefined : this.#previous(index, side));
    }
    this.#onPath = marked;
    return marked;
  }

  #leaf(side: ReadonlySet<number>): number | undefined {
    const explicit = this.#explicitLeaf === undefined ? undefined : this.#indexOf.get(idNumber(this.#explicitLeaf));
    return explicit ?? this.#previous(this.#records.length, side);
  }

  #previous(index: number, side: ReadonlySet<number>): number | undefined {
    for (let i = index - 1; i >= 0; i--) if (!side.has(i)) return i;
    return undefined;
  }

  /** Whether what was read from a point on follows what lies before it, and changes nothing of it. */
  get isContinuation(): boolean {
    this.#mainLine();
    return this.#records.length > 0 && !this.#changesPast && this.#explicitLeaf === undefined;
  }

  /**
   * Where to go on if the file grows: at the last reply, which may get further records. Undefined where what lies before it
   * is not as simple as that.
   */
  growthPoint(): { message: number; point: TranscriptPoint } | undefined {
    const main = this.#mainLine();
    const first = this.#lastReply(main);
    if (first === undefined || this.#sidechain.length > 0 || this.#explicitLeaf !== undefined) return undefined;
    if (!this.#isAllBefore(first, main) || this.#hasOlderReply(first)) return undefined;
    let message = 0;
    const replies: string[] = [...(this.#from?.replies ?? [])];
    for (const [id, last] of this.#lastOfReply) if (last < first) replies.push(id);
    for (let index = 0; index < first; index++) {
      const kind = this.#records.kind(index);
      if (!this.#isShown(index, kind, (i) => main[i] === 1)) continue;
      message += kind === "tool-result" ? (this.#resultIds.get(index)?.length ?? 0) : 1;
    }
    const calls: Record<string, string> = {};
    for (const [callId, caller] of this.#callerOf) {
      if (caller >= first || (this.#resultAt.get(callId) ?? first) < first) continue;
      if (caller !== BEFORE && main[caller] !== 1) return undefined;
      calls[callId] = this.#toolOf.get(callId) ?? "";
    }
    if (Object.keys(calls).length > MAX_OPEN_CALLS) return undefined;
    const point = { offset: this.#records.offset(first), parent: this.#parents[first]!, calls };
    return { message, point: { ...point, replies: replies.slice(-REMEMBERED_REPLIES) } };
  }

  /** Its first record. */
  #lastReply(main: Uint8Array): number | undefined {
    for (let index = this.#records.length - 1; index >= 0; index--) {
      if (main[index] === 1 && this.#records.kind(index) === "reply" && this.#records.leads(index)) return index;
    }
    return undefined;
  }

  /** Whether the records of the main line that lie before this one are those that it hangs on. */
  #isAllBefore(first: number, main: Uint8Array): boolean {
    let count = 0;
    for (let index = 0; index < first; index++) count += main[index]!;
    let index: number | undefined = first;
    for (;;) {
      const parent: number = this.#parents[index]!;
      index = this.#indexOf.get(parent);
      if (index === undefined) return count === 0 && parent === (this.#from?.parent ?? NO_PARENT);
      if (index >= first || --count < 0) return false;
    }
  }

  /** Whether a reply that began before this record has a part behind it. */
  #hasOlderReply(first: number): boolean {
    const own = new Set<number>();
    for (let index = first; index < this.#records.length; index++) {
      if (this.#records.kind(index) !== "reply") continue;
      if (this.#records.leads(index)) for (const part of this.#records.reply(index)) own.add(part);
      else if (!own.has(index)) return true;
    }
    return false;
  }

  /** Messages and turns of the main line without building them. */
  counts(): { messageCount: number; turnCount: number } {
    const main = this.#mainLine();
    const turns = new TurnCounter();
    let messageCount = 0;
    for (let index = 0; index < this.#records.length; index++) {
      const kind = this.#records.kind(index);
      if (!this.#isShown(index, kind, (i) => main[i] === 1)) continue;
      messageCount += kind === "tool-result" ? (this.#resultIds.get(index)?.length ?? 0) : 1;
      turns.see(kind === "prompt" ? "user" : kind === "reply" ? "assistant" : "system");
    }
    return { messageCount, turnCount: turns.count };
  }
}

const NO_PARENT = -1;
/** In place of a record that lies before the point this was read from. */
const BEFORE = -1;
const MAX_OPEN_CALLS = 64;
/** A reply that is gone on with has just been begun. */
const REMEMBERED_REPLIES = 16;
/** Parsed, this takes some three times as much. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/**
 * An id as a number of 52 bits, so that a million of them fit in memory. All of its characters count: not every id is
 * random. Two records of one file collide once in ten thousand files of a million records.
 */
function idNumber(id: string): number {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
    high ^= high >>> 15;
  }
  low ^= Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (high & 0xfffff) * 2 ** 32 + (low >>> 0);
}
