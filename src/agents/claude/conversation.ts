/**
 * How the records of a transcript are linked: which are shown, and which form one message. The reader adds records one by one.
 */
import { TurnCounter } from "../in-memory.ts";
import { RecordTable } from "./record-table.ts";
import type { RecordKind } from "./record.ts";

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
/** For a record without ids, as other programs write them: it follows the previous record. */
const NOT_SAID = -2;
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
  /** In file order. Its calls, results and reply are added next. */
  add({ offset, length, kind, id, parent, isSide }: ChainRecord): number {
    const index = this.records.add(offset, length, kind);
    if (id !== undefined) this.#indexOf.set(id, index);
    this.#parents.push(id === undefined && parent === NO_PARENT ? NOT_SAID : parent);
    this.#chosenLeaf = undefined;
    if (isSide) this.#sidechain.push(index);
    if (kind === "tool-result") this.#resultIds.set(index, []);
    return index;
  }

  /** The reply that a record belongs to. */
  addToReply(index: number, id: string): void {
    const previous = this.#lastOfReply.get(id);
    if (previous !== undefined) this.records.link(previous, index);
    this.#lastOfReply.set(id, index);
  }

  addCall(index: number, callId: string, tool: string): void {
    this.#callerOf.set(callId, index);
    this.#toolOf.set(callId, tool);
  }

  addResult(index: number, callId: string): void {
    this.#resultAt.set(callId, index);
    this.#resultIds.get(index)!.push(callId);
  }

  /** The record chosen to continue from; a later record overrides it. */
  choose(id: number | undefined): void {
    this.#chosenLeaf = id;
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

  /** First records of the main line's messages, in order. */
  *mainLine(): Generator<number> {
    const main = this.#mainLine();
    yield* this.shown((index) => main[index] === 1);
  }

  /** First records of messages, in order, among the included ones. */
  *shown(included: (index: number) => boolean): Generator<number> {
    for (let index = 0; index < this.records.length; index++) {
      if (this.#isShown(index, this.records.kind(index), included)) yield index;
    }
  }

  /** First records of messages that are not on the main line: other roots, or rewound. */
  aside(): number[] {
    const main = new Set(this.mainLine());
    const side = new Set(this.#sidechain);
    return [...this.shown((index) => !side.has(index))].filter((index) => !main.has(index));
  }

  /** All records of the main line's messages up to one, in order, with the context between them. */
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
    // Results of parallel calls are not on the path; they belong to it if their call does.
    if (kind === "tool-result") {
      return this.resultsIn(index).some((id) => {
        const caller = this.#callerOf.get(id);
        return caller !== undefined && included(caller);
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

  /** Marks the records from the newest leaf back to the root. Rewound records stay unmarked. */
  #mainLine(): Uint8Array {
    if (this.#onPath) return this.#onPath;
    const marked = new Uint8Array(this.records.length);
    const side = new Set(this.#sidechain);
    let index = this.#leaf(side);
    while (index !== undefined && marked[index] === 0) {
      marked[index] = 1;
      const parent = this.#indexOf.get(this.#parents[index]!);
      // A broken chain (a damaged line, a parent in another file) continues with the previous record.
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

  messagesAt(index: number): number {
    return this.records.kind(index) === "tool-result" ? this.resultsIn(index).length : 1;
  }

  /** Counts messages and turns of the main line without building them. */
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
 * An id as a number of 52 bits, so that a million fit in memory. All characters count, because not every id is random. Two
 * records of one file collide once in ten thousand files of a million records.
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
