/**
 * Sessions that cannot be found are told from the bytes of their files, without parsing them. The files hold JSON; a word
 * that is not in the bytes in any form is in no text of the session. What may be there is for the reader to decide.
 */
import { closeSync, fstatSync, readSync } from "node:fs";
import { openForReading } from "../../lib/fs/foreign-file.ts";
import { keyWords, requirementsOf, type Requirement } from "./byte-keys.ts";
import { ByteWords, CARRY_BYTES, ESCAPED, NOWHERE, PIECE_BYTES } from "./byte-words.ts";
import { answerOf, MAYBE, NO, type Plan } from "./plan.ts";
import { fold } from "./words.ts";

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
  readonly #bytes = Buffer.allocUnsafe(CARRY_BYTES + PIECE_BYTES);
  readonly #words: string[] = [];
  /** By word; and of the keys together. */
  readonly #probes: ByteWords[];
  readonly #keyProbe: ByteWords;
  /** By leaf; each requirement must be met. */
  readonly #requirements: Requirement[][];
  /** One of these must be there. Undefined: nothing can be told from bytes. */
  readonly #keys: readonly number[] | undefined;
  /** By word, of the session that is looked at. */
  readonly #found: Uint8Array;
  #headers: Buffer[] = [];
  #hasTitles = false;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#requirements = plan.leaves.map((leaf) => requirementsOf(leaf, this.#words));
    this.#probes = this.#words.map((word) => new ByteWords([word]));
    this.#keys = keyWords(plan.root, this.#requirements, this.#words);
    this.#keyProbe = new ByteWords((this.#keys ?? []).map((word) => this.#words[word]!));
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
      const outcome = this.#readAll(session, "key");
      if (outcome !== "word") return outcome === "untold";
      if (this.#words.length === 1) return true;
    }
    this.#found.set(outside);
    this.#headers = [];
    return this.#isAnswered() || this.#readAll(session, "all") !== "nothing";
  }

  /** Words in the text that is in no file. */
  #foundIn(text: string): Uint8Array {
    const folded = fold(text);
    return Uint8Array.from(this.#words, (word) => (folded.includes(word) ? 1 : 0));
  }

  /** For a key: to the first of them; for all words: until they are enough. */
  #readAll(session: BytesOfSession, wanted: "key" | "all"): Outcome {
    for (const path of session.paths) {
      const outcome = this.#readFile(path, session, wanted);
      if (outcome !== "nothing") return outcome;
    }
    return "nothing";
  }

  #readFile(path: string, session: BytesOfSession, wanted: "key" | "all"): Outcome {
    let fd: number;
    try {
      fd = openForReading(path);
    } catch {
      // What cannot be opened is for the reader to tell of.
      return "untold";
    }
    try {
      return this.#readPieces(fd, session, wanted);
    } catch {
      return "untold";
    } finally {
      closeSync(fd);
    }
  }

  #readPieces(fd: number, session: BytesOfSession, wanted: "key" | "all"): Outcome {
    const bytes = this.#bytes;
    for (let carried = 0, position = 0; ;) {
      const got = readSync(fd, bytes, carried, PIECE_BYTES, position);
      if (got === 0) return "nothing";
      const end = carried + got;
      const piece = bytes.subarray(0, end);
      if (position === 0 && !this.#seeBeginning(session, piece, fd)) return "untold";
      position += got;
      const outcome = wanted === "key" ? this.#lookForKey(piece) : this.#lookForAll(piece);
      if (outcome !== "nothing") return outcome;
      carried = Math.min(CARRY_BYTES, end);
      bytes.copyWithin(0, end - carried, end);
    }
  }

  #lookForKey(piece: Buffer): Outcome {
    const place = this.#keyProbe.find(piece, piece.toString("latin1"));
    return place === NOWHERE ? "nothing" : place === ESCAPED ? "untold" : "word";
  }

  #lookForAll(piece: Buffer): Outcome {
    const text = piece.toString("latin1");
    const found = this.#found;
    let isEscaped = false;
    for (const [word, probe] of this.#probes.entries()) {
      if (found[word] === 1) continue;
      const place = probe.find(piece, text);
      if (place === ESCAPED) isEscaped = true;
      else if (place !== NOWHERE) found[word] = 1;
    }
    if (this.#isAnswered()) return "word";
    return isEscaped ? "untold" : "nothing";
  }

  /** False when its first line is longer than what was read, so that it cannot be told whether it names an origin. */
  #seeBeginning({ originMark, titleMark }: BytesOfSession, piece: Buffer, fd: number): boolean {
    if (titleMark !== undefined && piece.subarray(0, titleMark.length).includes(titleMark)) this.#hasTitles = true;
    if (originMark === undefined) return true;
    const lineEnd = piece.indexOf(LINE_FEED);
    if (lineEnd === -1 && piece.length < fstatSync(fd).size) return false;
    const header = piece.subarray(0, lineEnd === -1 ? piece.length : lineEnd);
    if (header.includes(originMark)) this.#headers.push(Buffer.from(header));
    return true;
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
