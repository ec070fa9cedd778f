/**
 * How many messages and turns the main line of a transcript has, from what its records are and what they hang on. The
 * rules are those of `Transcript`, which builds the messages; here records are numbers in arrays, kept from file to
 * file, so that counting costs next to nothing beside reading.
 */
import { TurnCounter } from "../in-memory.ts";
import type { RecordKind } from "./record.ts";

const KINDS: readonly RecordKind[] = [
  "context",
  "prompt",
  "tool-result",
  "reply",
  "error",
  "summary",
  "interruption",
  "notification",
];
const [CONTEXT, PROMPT, RESULT, REPLY] = [0, 1, 2, 3];
const NONE = -1;

/** Ids are numbers from 1 up, one series for records, replies and calls; 0 stands for none. */
export class ConversationCount {
  #records = 0;
  #kinds = new Uint8Array(1024);
  #isSide = new Uint8Array(1024);
  #follows = new Uint8Array(1024);
  #parents = new Int32Array(1024);
  /** Next record of the same reply. */
  #next = new Int32Array(1024);
  #firstResult = new Int32Array(1025);
  #results: number[] = [];
  /** By id. */
  #recordOf = new Int32Array(4096).fill(NONE);
  #lastOfReply = new Int32Array(4096).fill(NONE);
  #callerOf = new Int32Array(4096).fill(NONE);
  #maxId = 0;
  #leaf = 0;

  /** Forgets the last file. */
  clear(): void {
    for (const byId of [this.#recordOf, this.#lastOfReply, this.#callerOf]) byId.fill(NONE, 0, this.#maxId + 1);
    this.#records = 0;
    this.#results = [];
    this.#maxId = 0;
    this.#leaf = 0;
  }

  /** A record of the chain, in file order. `parent` 0: it starts anew. Calls and results are given before it. */
  add(kind: RecordKind, id: number, parent: number, isSide: boolean, reply: number): void {
    const index = this.#records++;
    if (index === this.#kinds.length) this.#grow();
    const number = KINDS.indexOf(kind);
    this.#kinds[index] = number;
    this.#parents[index] = parent;
    this.#isSide[index] = isSide ? 1 : 0;
    this.#follows[index] = 0;
    this.#next[index] = NONE;
    this.#firstResult[index + 1] = this.#results.length;
    this.#leaf = 0;
    if (id > 0) {
      this.#reserve(id);
      this.#recordOf[id] = index;
    }
    if (number === REPLY) {
      this.#reserve(reply);
      const previous = this.#lastOfReply[reply]!;
      if (previous !== NONE) {
        this.#next[previous] = index;
        this.#follows[index] = 1;
      }
      this.#lastOfReply[reply] = index;
    }
  }

  /** A tool call of the record that is added next. */
  addCall(call: number): void {
    this.#reserve(call);
    this.#callerOf[call] = this.#records;
  }

  /** A tool result in the record that is added next. */
  addResult(call: number): void {
    this.#reserve(call);
    this.#results.push(call);
  }

  /** The record that was chosen to go on from; a record that follows makes it void. */
  goOnFrom(id: number): void {
    this.#leaf = id;
  }

  count(): { messageCount: number; turnCount: number } {
    const main = this.#mainLine();
    const turns = new TurnCounter();
    let messageCount = 0;
    for (let index = 0; index < this.#records; index++) {
      const kind = this.#kinds[index]!;
      if (kind === CONTEXT || this.#follows[index] === 1 || !this.#isShown(index, kind, main)) continue;
      messageCount += kind === RESULT ? this.#firstResult[index + 1]! - this.#firstResult[index]! : 1;
      turns.see(kind === PROMPT ? "user" : kind === REPLY ? "assistant" : "system");
    }
    return { messageCount, turnCount: turns.count };
  }

  #isShown(index: number, kind: number, main: Uint8Array): boolean {
    if (main[index] === 1) return true;
    if (kind === RESULT) {
      for (let i = this.#firstResult[index]!; i < this.#firstResult[index + 1]!; i++) {
        const caller = this.#callerOf[this.#results[i]!]!;
        if (caller !== NONE && main[caller] === 1) return true;
      }
    } else if (kind === REPLY) {
      for (let next = this.#next[index]!; next !== NONE; next = this.#next[next]!) if (main[next] === 1) return true;
    }
    return false;
  }

  #mainLine(): Uint8Array {
    const marked = new Uint8Array(this.#records);
    const chosen = this.#leaf > 0 && this.#leaf < this.#recordOf.length ? this.#recordOf[this.#leaf]! : NONE;
    let index = chosen !== NONE ? chosen : this.#previous(this.#records);
    while (index !== NONE && marked[index] === 0) {
      marked[index] = 1;
      const parent = this.#parents[index]!;
      if (parent === 0) break;
      const found = parent < this.#recordOf.length ? this.#recordOf[parent]! : NONE;
      index = found !== NONE ? found : this.#previous(index);
    }
    return marked;
  }

  #previous(index: number): number {
    let i = index - 1;
    while (i >= 0 && this.#isSide[i] === 1) i--;
    return i;
  }

  #reserve(id: number): void {
    if (id > this.#maxId) this.#maxId = id;
    if (id < this.#recordOf.length) return;
    const size = Math.max(id + 1, 2 * this.#recordOf.length);
    this.#recordOf = widened(this.#recordOf, size);
    this.#lastOfReply = widened(this.#lastOfReply, size);
    this.#callerOf = widened(this.#callerOf, size);
  }

  #grow(): void {
    const size = 2 * this.#kinds.length;
    this.#kinds = copied(this.#kinds, new Uint8Array(size));
    this.#isSide = copied(this.#isSide, new Uint8Array(size));
    this.#follows = copied(this.#follows, new Uint8Array(size));
    this.#parents = copied(this.#parents, new Int32Array(size));
    this.#next = copied(this.#next, new Int32Array(size));
    this.#firstResult = copied(this.#firstResult, new Int32Array(size + 1));
  }
}

type Ints = Int32Array<ArrayBuffer>;
type Bytes = Uint8Array<ArrayBuffer>;

function widened(array: Ints, size: number): Ints {
  return copied(array, new Int32Array(size).fill(NONE, array.length));
}

function copied<T extends Bytes | Ints>(from: T, to: T): T {
  to.set(from);
  return to;
}
