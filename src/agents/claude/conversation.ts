/**
 * How the records of a transcript hang together: which of them are shown, which make one message, and from where on the
 * file would have to be read if it grew. Filled record by record by whoever reads the file.
 */
import { TurnCounter } from "../in-memory.ts";
import { RecordTable } from "./record-table.ts";
import type { RecordKind } from "./record.ts";

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

/** A record of the chain. Ids are numbers (`idNumber`). */
export interface ChainRecord {
  offset: number;
  length: number;
  kind: RecordKind;
  id: number | undefined;
  /** NO_PARENT for none. */
  parent: number;
  isSide: boolean;
}

export const NO_PARENT = -1;
/** Of a record without any ids, as other programs write them: it follows the one before it. */
const NOT_SAID = -2;
/** In place of a record that lies before the point this was read from. */
const BEFORE = -1;
const MAX_OPEN_CALLS = 64;
/** A reply that is gone on with has just been begun. */
const REMEMBERED_REPLIES = 16;

export class Conversation {
  readonly records = new RecordTable();
  readonly #parents: number[] = [];
  readonly #sidechain: number[] = [];
  readonly #indexOf = new Map<number, number>();
  readonly #lastOfReply = new Map<string, number>();
  readonly #resultAt = new Map<string, number>();
  readonly #callerOf = new Map<string, number>();
  readonly #toolOf = new Map<string, string>();
  readonly #resultIds = new Map<number, string[]>();
  #chosenLeaf: number | undefined;
  #onPath: Uint8Array | undefined;
  readonly #from: TranscriptPoint | undefined;
  /** What was read changes what lies before it. */
  #changesPast = false;

  /** `from`: only what lies behind it is read. */
  constructor(from?: TranscriptPoint) {
    this.#from = from;
    for (const [callId, tool] of Object.entries(from?.calls ?? {})) {
      this.#callerOf.set(callId, BEFORE);
      this.#toolOf.set(callId, tool);
    }
  }

  /** In the order of the file; what it calls, answers or is a part of is told next. */
  add({ offset, length, kind, id, parent, isSide }: ChainRecord): number {
    const index = this.records.add(offset, length, kind);
    if (id !== undefined) this.#indexOf.set(id, index);
    this.#parents.push(id === undefined && parent === NO_PARENT ? NOT_SAID : parent);
    this.#chosenLeaf = undefined;
    if (isSide) this.#sidechain.push(index);
    if (isSide && this.#from) this.#changesPast = true;
    if (kind === "tool-result") this.#resultIds.set(index, []);
    return index;
  }

  /** The reply that a record is a part of. */
  addToReply(index: number, id: string): void {
    if (this.#from?.replies.includes(id)) this.#changesPast = true;
    const previous = this.#lastOfReply.get(id);
    if (previous !== undefined) this.records.link(previous, index);
    this.#lastOfReply.set(id, index);
  }

  addCall(index: number, callId: string, tool: string): void {
    this.#callerOf.set(callId, index);
    this.#toolOf.set(callId, tool);
  }

  addResult(index: number, callId: string): void {
    if (this.#from && !this.#callerOf.has(callId)) this.#changesPast = true;
    this.#resultAt.set(callId, index);
    this.#resultIds.get(index)!.push(callId);
  }

  /** The record that was chosen to go on from; one that follows makes it void. */
  choose(id: number | undefined): void {
    this.#chosenLeaf = id;
  }

  get hasSidechains(): boolean {
    return this.#sidechain.length > 0;
  }

  toolOf(callId: string): string {
    return this.#toolOf.get(callId) ?? "";
  }

  /** The record that answers a call. */
  resultOf(callId: string): number | undefined {
    return this.#resultAt.get(callId);
  }

  /** Calls that a record answers. */
  resultsIn(index: number): readonly string[] {
    return this.#resultIds.get(index) ?? [];
  }

  /** Records a message of the main line begins with, in order. */
  *mainLine(): Generator<number> {
    const main = this.#mainLine();
    yield* this.shown((index) => main[index] === 1);
  }

  /** Records a message begins with, in order, of those that are included. */
  *shown(included: (index: number) => boolean): Generator<number> {
    for (let index = 0; index < this.records.length; index++) {
      if (this.#isShown(index, this.records.kind(index), included)) yield index;
    }
  }

  /** Records a message begins with that is not on the main line: of other beginnings, or taken back by a rewind. */
  aside(): number[] {
    const main = new Set(this.mainLine());
    const side = new Set(this.#sidechain);
    return [...this.shown((index) => !side.has(index))].filter((index) => !main.has(index));
  }

  /** All records that messages of the main line up to one are made of, in order, and the context between them. */
  *recordsUpTo(last: number): Generator<number> {
    const main = this.#mainLine();
    const kept = new Set<number>();
    let end = -1;
    let next = 0;
    for (const index of this.mainLine()) {
      if (next > last) break;
      const kind = this.records.kind(index);
      next += kind === "tool-result" ? this.resultsIn(index).length : 1;
      for (const part of kind === "reply" ? this.records.reply(index) : [index]) {
        kept.add(part);
        end = Math.max(end, part);
      }
    }
    for (let index = 0; index <= end; index++) {
      if (kept.has(index) || (main[index] === 1 && this.records.kind(index) === "context")) yield index;
    }
  }

  #isShown(index: number, kind: RecordKind, included: (index: number) => boolean): boolean {
    if (kind === "context" || !this.records.leads(index)) return false;
    if (included(index)) return true;
    // Results of parallel calls hang off the path; they belong to it when their call does.
    if (kind === "tool-result") {
      return this.resultsIn(index).some((id) => {
        const caller = this.#callerOf.get(id);
        return caller !== undefined && (caller === BEFORE || included(caller));
      });
    }
    if (kind === "reply") for (const part of this.records.reply(index)) if (included(part)) return true;
    return false;
  }

  /** Side-chains that versions before 2.0.28 wrote into the main file: their records, by the first of each. */
  sidechains(): Map<number, Set<number>> {
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
    return roots;
  }

  /** Marks the records from the newest leaf back to the root. What a rewind left behind stays unmarked. */
  #mainLine(): Uint8Array {
    if (this.#onPath) return this.#onPath;
    const marked = new Uint8Array(this.records.length);
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
    const chosen = this.#chosenLeaf === undefined ? undefined : this.#indexOf.get(this.#chosenLeaf);
    return chosen ?? this.#previous(this.records.length, side);
  }

  #previous(index: number, side: ReadonlySet<number>): number | undefined {
    for (let i = index - 1; i >= 0; i--) if (!side.has(i)) return i;
    return undefined;
  }

  /** Whether what was read from a point on follows what lies before it, and changes nothing of it. */
  get isContinuation(): boolean {
    this.#mainLine();
    return this.records.length > 0 && !this.#changesPast && this.#chosenLeaf === undefined;
  }

  /**
   * Where to go on if the file grows: at the last reply, which may get further records. Undefined where what lies before it
   * is not as simple as that.
   */
  growthPoint(): { message: number; point: TranscriptPoint } | undefined {
    const main = this.#mainLine();
    const first = this.#lastReply(main);
    if (first === undefined || this.hasSidechains || this.#chosenLeaf !== undefined) return undefined;
    if (!this.#isAllBefore(first, main) || this.#hasOlderReply(first)) return undefined;
    const replies: string[] = [...(this.#from?.replies ?? [])];
    for (const [id, last] of this.#lastOfReply) if (last < first) replies.push(id);
    let message = 0;
    for (const index of this.mainLine()) {
      if (index >= first) break;
      message += this.messagesAt(index);
    }
    const calls: Record<string, string> = {};
    for (const [callId, caller] of this.#callerOf) {
      if (caller >= first || (this.#resultAt.get(callId) ?? first) < first) continue;
      if (caller !== BEFORE && main[caller] !== 1) return undefined;
      calls[callId] = this.toolOf(callId);
    }
    if (Object.keys(calls).length > MAX_OPEN_CALLS) return undefined;
    const point = { offset: this.records.offset(first), parent: this.#parents[first]!, calls };
    return { message, point: { ...point, replies: replies.slice(-REMEMBERED_REPLIES) } };
  }

  messagesAt(index: number): number {
    return this.records.kind(index) === "tool-result" ? this.resultsIn(index).length : 1;
  }

  /** Its first record. */
  #lastReply(main: Uint8Array): number | undefined {
    for (let index = this.records.length - 1; index >= 0; index--) {
      if (main[index] === 1 && this.records.kind(index) === "reply" && this.records.leads(index)) return index;
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
    for (let index = first; index < this.records.length; index++) {
      if (this.records.kind(index) !== "reply") continue;
      if (this.records.leads(index)) for (const part of this.records.reply(index)) own.add(part);
      else if (!own.has(index)) return true;
    }
    return false;
  }

  /** Messages and turns of the main line without building them. */
  counts(): { messageCount: number; turnCount: number } {
    const turns = new TurnCounter();
    let messageCount = 0;
    for (const index of this.mainLine()) {
      const kind = this.records.kind(index);
      messageCount += this.messagesAt(index);
      turns.see(kind === "prompt" ? "user" : kind === "reply" ? "assistant" : "system");
    }
    return { messageCount, turnCount: turns.count };
  }
}

/**
 * An id as a number of 52 bits, so that a million of them fit in memory. All of its characters count: not every id is
 * random. Two records of one file collide once in ten thousand files of a million records.
 */
export function idNumber(id: string): number {
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
