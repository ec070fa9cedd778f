/**
 * Sessions that cannot be found are told from the bytes of their files, without parsing them. The files hold JSON; a word
 * that is not in the bytes in any form is in no text of the session. What may be there is for the reader to decide.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { ByteScanner } from "../../lib/byte-scan.ts";
import { EscapeProbe, prepareScanner, probeFor, type Probe } from "./byte-probe.ts";
import { answerOf, MAYBE, NO, type Answer, type Leaf, type Plan } from "./plan.ts";
import { fold } from "./words.ts";

/** Small enough to stay in the processor's cache while it is searched. */
const CHUNK_BYTES = 512 * 1024;
/** Of one chunk kept for the next, so that no word is cut: the longest, in bytes, with room for what surrounds it. */
const CARRY_BYTES = 1024;
/** A file's writer escapes letters or does not. That shows early; only in files without any letter outside ASCII it may not. */
const WRITER_BYTES = 64 * 1024;

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
  headers: Buffer[];
  hasTitles: boolean;
}

interface Search {
  /** By word. */
  found: boolean[];
  isOnly: boolean;
  originMark: Buffer | undefined;
  titleMark: Buffer | undefined;
  headers: Buffer[];
  hasTitles: boolean;
}

/** Words one of which must be there, for a leaf to be true: all of some alternatives. */
type Requirement = readonly (readonly number[])[];

export class ByteFilter {
  readonly #plan: Plan;
  readonly #scanner = new ByteScanner();
  readonly #words: string[] = [];
  readonly #probes: Probe[];
  readonly #escapes: EscapeProbe;
  /** By leaf; each requirement must be met. */
  readonly #requirements: Requirement[][];
  /** Bytes looked at, for progress. */
  bytesRead = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    prepareScanner(this.#scanner);
    this.#requirements = plan.leaves.map((leaf) => this.#requirementsOf(leaf));
    this.#probes = this.#words.map((word) => probeFor(word, this.#scanner));
    this.#escapes = new EscapeProbe(this.#scanner);
  }

  /** Whether any session could ever be told from its bytes. */
  get isUseful(): boolean {
    return this.#answer(() => false) === NO;
  }

  /** Whether the session can be found. With `false` come the headers of its files that name an origin. */
  look({ paths, text, originMark, titleMark }: BytesOfSession): Look {
    const folded = fold(text);
    const search: Search = {
      found: this.#words.map((word) => folded.includes(word)),
      isOnly: paths.length === 1,
      originMark: originMark === undefined ? undefined : Buffer.from(originMark),
      titleMark: titleMark === undefined ? undefined : Buffer.from(titleMark),
      headers: [],
      hasTitles: false,
    };
    let mayMatch = false;
    for (const path of paths) {
      // What cannot be opened is for the reader to tell of.
      mayMatch ||= this.#search(path, search) !== "read" || this.#answer((word) => search.found[word]!) !== NO;
      if (mayMatch && (titleMark === undefined || search.hasTitles)) break;
    }
    return { mayMatch, headers: search.headers, hasTitles: search.hasTitles };
  }

  #search(path: string, search: Search): "read" | "unreadable" | "escaped" {
    let fd: number;
    try {
      fd = openSync(path, "r");
    } catch {
      return "unreadable";
    }
    try {
      return this.#searchFile(fd, search);
    } catch {
      return "unreadable";
    } finally {
      closeSync(fd);
    }
  }

  #searchFile(fd: number, search: Search): "read" | "escaped" {
    const scanner = this.#scanner;
    const { found } = search;
    for (let carried = 0, isFirst = true; ; isFirst = false) {
      const got = readSync(fd, scanner.bytes, carried, CHUNK_BYTES, null);
      if (got === 0) return "read";
      this.bytesRead += got;
      const end = carried + got;
      const isLast = got < CHUNK_BYTES;
      scanner.close(end);
      scanner.sawHigh = false;
      if (isFirst) this.#seeBeginning(search, end);
      if (search.isOnly && isFirst && isLast) this.#probeAsNeeded(found, end);
      else this.#probeAll(found, end);
      if (this.#answer((word) => found[word]!) !== NO) return "read";
      const checked = scanner.sawHigh ? (isFirst ? Math.min(end, WRITER_BYTES) : 0) : end;
      if (checked > 0 && this.#escapes.test(checked)) return "escaped";
      if (isLast) return "read";
      carried = Math.min(CARRY_BYTES, end);
      scanner.bytes.copyWithin(0, end - carried, end);
    }
  }

  #seeBeginning(search: Search, end: number): void {
    const { bytes } = this.#scanner;
    const { originMark, titleMark } = search;
    if (titleMark && bytes.subarray(0, Math.min(end, titleMark.length)).equals(titleMark)) search.hasTitles = true;
    if (originMark === undefined) return;
    const lineEnd = bytes.subarray(0, end).indexOf(LINE_FEED);
    const header = bytes.subarray(0, lineEnd === -1 ? end : lineEnd);
    if (header.includes(originMark)) search.headers.push(Buffer.from(header));
  }

  /** All bytes of the session are here: a word that cannot matter any more need not be looked for. */
  #probeAsNeeded(found: boolean[], end: number): void {
    const probed = new Uint8Array(found.length);
    this.#answer((word) => {
      if (!found[word] && probed[word] === 0) {
        probed[word] = 1;
        found[word] = this.#probes[word]!(end);
      }
      return found[word]!;
    });
  }

  #probeAll(found: boolean[], end: number): void {
    for (const [word, probe] of this.#probes.entries()) found[word] ||= probe(end);
  }

  #answer(has: (word: number) => boolean): Answer {
    return answerOf(this.#plan.root, (leaf) => {
      const met = this.#requirements[leaf]!.every((alternatives) => alternatives.some((words) => words.every(has)));
      return met ? MAYBE : NO;
    });
  }

  /** Fields of the session are not looked for: they need not be in its files. */
  #requirementsOf(leaf: Leaf): Requirement[] {
    if (leaf.kind === "session") return [];
    const fields = leaf.within.flatMap((field) => (field.field === "role" ? [] : [field.anyOf]));
    const sequences = leaf.kind === "text" ? [[leaf.text], ...fields] : fields;
    // The longest word first: it is the rarest.
    return sequences.map((anyOf) =>
      anyOf.map(({ steps }) => steps.toSorted((a, b) => b.length - a.length).map((step) => this.#wordNumber(step))),
    );
  }

  #wordNumber(word: string): number {
    const known = this.#words.indexOf(word);
    return known === -1 ? this.#words.push(word) - 1 : known;
  }
}
