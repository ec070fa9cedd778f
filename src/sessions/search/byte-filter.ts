/**
 * Sessions that cannot be found are told from the bytes of their files, without parsing them. The files hold JSON; a word
 * that is not in the bytes in any form is in no text of the session. What may be there is for the reader to decide.
 */
import { closeSync, readSync } from "node:fs";
import { ByteScanner } from "../../lib/byte-scan.ts";
import { openForReading } from "../../lib/foreign-file.ts";
import { keyWords, requirementsOf, type Requirement } from "./byte-keys.ts";
import { prepareScanner, probeFor, type Probe } from "./byte-probe.ts";
import { answerOf, MAYBE, NO, type Plan } from "./plan.ts";
import { fold } from "./words.ts";

/** Small enough to stay in the processor's cache while it is searched. */
const CHUNK_BYTES = 512 * 1024;
/** Of one chunk kept for the next, so that no word is cut: the longest, in bytes, with room for what surrounds it. */
const CARRY_BYTES = 1024;

const LINE_FEED = 10;

export interface BytesOfSession {
  paths: readonly string[];
  /** Text of the session that is in none of the files. */
  text: string;
  /** In the first line of a file: its conversation begins in another one. */
  originMark?: string | undefined;
  /** At the beginning of a file: it holds titles of other sessions. */
  titleMark?: string | undefined;
}

export interface Look {
  mayMatch: boolean;
  /** First lines with the origin's mark. */
  headers: readonly Buffer[];
  hasTitles: boolean;
}

/** What came of reading a file: nothing that was looked for, one of the words, or what only the reader can tell. */
type Outcome = "nothing" | "word" | "untold";

export class ByteFilter {
  readonly #plan: Plan;
  readonly #scanner = new ByteScanner();
  readonly #words: string[] = [];
  readonly #probes: Probe[];
  /** By leaf; each requirement must be met. */
  readonly #requirements: Requirement[][];
  /** One of these must be there. Undefined: nothing can be told from bytes. */
  readonly #keys: readonly number[] | undefined;
  readonly #all: readonly number[];
  /** By word, of the session that is looked at. */
  readonly #found: Uint8Array;
  readonly #marks = new Map<string, Buffer>();
  #outside: { text: string; found: Uint8Array } | undefined;
  #headers: Buffer[] = [];
  #hasTitles = false;
  /**
   * By path, of agents whose conversations begin in others' files: those in which none of the keys is, with the header that
   * names an origin. A fork is looked at together with what it begins in, which is a session of its own and often that of many.
   */
  readonly #without = new Map<string, Buffer | undefined>();

  constructor(plan: Plan) {
    this.#plan = plan;
    prepareScanner(this.#scanner);
    this.#requirements = plan.leaves.map((leaf) => requirementsOf(leaf, this.#words));
    this.#probes = this.#words.map((word) => probeFor(word, this.#scanner));
    this.#keys = keyWords(plan.root, this.#requirements, this.#words);
    this.#all = this.#words.map((_, word) => word);
    this.#found = new Uint8Array(this.#words.length);
  }

  /** Whether any session could ever be told from its bytes. */
  get isUseful(): boolean {
    return this.#keys !== undefined;
  }

  /** Whether the session can be found. With `false` come the headers of its files that name an origin. */
  look(session: BytesOfSession): Look {
    this.#headers = [];
    this.#hasTitles = false;
    return { mayMatch: this.#mayMatch(session), headers: this.#headers, hasTitles: this.#hasTitles };
  }

  #mayMatch(session: BytesOfSession): boolean {
    const keys = this.#keys;
    if (keys === undefined) return true;
    const outside = this.#foundIn(session.text);
    if (!keys.some((word) => outside[word] === 1)) {
      // Most sessions have none of these words, and nothing else needs to be looked for in them.
      this.#found.set(outside);
      const outcome = this.#readAll(session, keys, true);
      if (outcome !== "word") return outcome === "untold";
      if (this.#isAnswered()) return true;
    }
    this.#found.set(outside);
    this.#headers = [];
    return this.#isAnswered() || this.#readAll(session, this.#all, false) !== "nothing";
  }

  /** Words in the text that is in no file; it is the same for most sessions. */
  #foundIn(text: string): Uint8Array {
    if (this.#outside?.text !== text) {
      const folded = fold(text);
      this.#outside = { text, found: Uint8Array.from(this.#words, (word) => (folded.includes(word) ? 1 : 0)) };
    }
    return this.#outside.found;
  }

  /** `anyWord`: to the first of them; otherwise until they are enough. */
  #readAll(session: BytesOfSession, words: readonly number[], anyWord: boolean): Outcome {
    for (const path of session.paths) {
      if (anyWord && this.#without.has(path)) {
        const header = this.#without.get(path);
        if (header) this.#headers.push(header);
        continue;
      }
      const before = this.#headers.length;
      const outcome = this.#readFile(path, session, words, anyWord);
      if (outcome !== "nothing") return outcome;
      if (anyWord && session.originMark !== undefined) this.#without.set(path, this.#headers[before]);
    }
    return "nothing";
  }

  #readFile(path: string, session: BytesOfSession, words: readonly number[], anyWord: boolean): Outcome {
    let fd: number;
    try {
      fd = openForReading(path);
    } catch {
      // What cannot be opened is for the reader to tell of.
      return "untold";
    }
    try {
      return this.#readChunks(fd, session, words, anyWord);
    } catch {
      return "untold";
    } finally {
      closeSync(fd);
    }
  }

  #readChunks(fd: number, session: BytesOfSession, words: readonly number[], anyWord: boolean): Outcome {
    const scanner = this.#scanner;
    for (let carried = 0, position = 0; ;) {
      const got = readSync(fd, scanner.bytes, carried, CHUNK_BYTES, position);
      if (got === 0) return "nothing";
      const end = carried + got;
      scanner.close(end);
      if (position === 0) this.#seeBeginning(session, end);
      position += got;
      if (anyWord && words.length === 1) {
        const isThere = this.#probeOne(words[0]!, end);
        if (isThere !== false) return isThere ? "word" : "untold";
      } else {
        if (this.#probe(words, end) && (anyWord || this.#isAnswered())) return "word";
        if (scanner.hasEscapedLetter(end)) return "untold";
      }
      // A regular file that gives less than was asked for has no more.
      if (got < CHUNK_BYTES) return "nothing";
      carried = Math.min(CARRY_BYTES, end);
      scanner.bytes.copyWithin(0, end - carried, end);
    }
  }

  /** For the only word that is looked for, and escapes, in one go. */
  #probeOne(word: number, end: number): boolean | undefined {
    const isThere = this.#probes[word]!.unescaped(end);
    if (isThere) this.#found[word] = 1;
    return isThere;
  }

  /** Whether one of the words was found that was not before. */
  #probe(words: readonly number[], end: number): boolean {
    const found = this.#found;
    let isNew = false;
    for (const word of words) {
      if (found[word] === 1 || !this.#probes[word]!(end)) continue;
      found[word] = 1;
      isNew = true;
    }
    return isNew;
  }

  #seeBeginning({ originMark, titleMark }: BytesOfSession, end: number): void {
    const { bytes } = this.#scanner;
    if (titleMark !== undefined && beginsWith(bytes, end, this.#mark(titleMark))) this.#hasTitles = true;
    if (originMark === undefined) return;
    const lineEnd = bytes.subarray(0, end).indexOf(LINE_FEED);
    const header = bytes.subarray(0, lineEnd === -1 ? end : lineEnd);
    if (header.includes(this.#mark(originMark))) this.#headers.push(Buffer.from(header));
  }

  #mark(text: string): Buffer {
    let mark = this.#marks.get(text);
    if (mark === undefined) this.#marks.set(text, (mark = Buffer.from(text)));
    return mark;
  }

  /** Whether the words found so far could be all that is needed. */
  #isAnswered(): boolean {
    const has = (word: number): boolean => this.#found[word] === 1;
    const answer = answerOf(this.#plan.root, (leaf) => {
      const met = this.#requirements[leaf]!.every((alternatives) => alternatives.some((words) => words.every(has)));
      return met ? MAYBE : NO;
    });
    return answer !== NO;
  }
}

function beginsWith(bytes: Buffer, end: number, mark: Buffer): boolean {
  if (end < mark.length) return false;
  for (let at = 0; at < mark.length; at++) if (bytes[at] !== mark[at]) return false;
  return true;
}
