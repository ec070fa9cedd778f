/**
 * Rules out sessions by the bytes of their files, without parsing. The files hold JSON: a word that is in the bytes in no form is
 * in no text of the session. Possible matches are left to the reader.
 */
import { closeSync, fstatSync, readSync } from "node:fs";
import { openForReading } from "../../lib/fs/foreign-file.ts";
import { ByteWords, CARRY_BYTES, ESCAPED, NOWHERE, PIECE_BYTES } from "./byte-words.ts";
import { answerOf, MAYBE, NO, type Plan, type Leaf, type Node } from "./plan.ts";
import { fold } from "./words.ts";
import type { ByteSearch, SessionSource } from "../../agents/adapter.ts";
import type { Catalog } from "../catalog.ts";
import { originNamedIn } from "./origins.ts";

const LINE_FEED = 10;

interface BytesOfSession {
  paths: readonly string[];
  /** Text of the session that is in none of the files. */
  text: string;
  /** Bytes in a file's first line: the conversation begins in another file. */
  originMark?: string | undefined;
  /** How a file begins that holds titles of other sessions. */
  titleMark?: string | undefined;
}

export interface Look {
  mayMatch: boolean;
  /** First lines with the origin's mark. */
  headers: readonly Buffer[];
  hasTitles: boolean;
}

/** The result of scanning a file: nothing found, one of the words found, or only the reader can tell. */
type Outcome = "nothing" | "word" | "untold";

export class ByteFilter {
  readonly #plan: Plan;
  readonly #bytes = Buffer.allocUnsafe(CARRY_BYTES + PIECE_BYTES);
  readonly #words: string[] = [];
  /** By word, and for the keys together. */
  readonly #probes: ByteWords[];
  readonly #keyProbe: ByteWords;
  /** By leaf; each requirement must be met. */
  readonly #requirements: Requirement[][];
  /** One of these must be present. Undefined: bytes cannot decide. */
  readonly #keys: readonly number[] | undefined;
  /** By word, for the current session. */
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

  /** Whether bytes can rule out any session at all. */
  get isUseful(): boolean {
    return this.#keys !== undefined;
  }

  /** Whether the session can match. `false` comes with the headers of its files that name an origin. */
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
      // Most sessions contain none of these words, which settles them.
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

  /** For a key: up to the first one. For all words: until enough are found. */
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
      // The reader reports what cannot be opened.
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

  /** False if the first line is longer than what was read, so that its origin is unknown. */
  #seeBeginning({ originMark, titleMark }: BytesOfSession, piece: Buffer, fd: number): boolean {
    if (titleMark !== undefined && piece.subarray(0, titleMark.length).includes(titleMark)) this.#hasTitles = true;
    if (originMark === undefined) return true;
    const lineEnd = piece.indexOf(LINE_FEED);
    if (lineEnd === -1 && piece.length < fstatSync(fd).size) return false;
    const header = piece.subarray(0, lineEnd === -1 ? piece.length : lineEnd);
    if (header.includes(originMark)) this.#headers.push(Buffer.from(header));
    return true;
  }

  /** Whether the words found so far can be sufficient. */
  #isAnswered(): boolean {
    const has = (word: number): boolean => this.#found[word] === 1;
    const answer = answerOf(this.#plan.root, (leaf) => {
      const met = this.#requirements[leaf]!.every((alternatives) => alternatives.some((words) => words.every(has)));
      return met ? MAYBE : NO;
    });
    return answer !== NO;
  }
}

/** One alternative must be present, with all its words. */
type Requirement = readonly (readonly number[])[];

/** The requirements for the leaf to be true; adds its words to the list. */
function requirementsOf(leaf: Leaf, words: string[]): Requirement[] {
  // Session fields are skipped: they need not be in its files.
  if (leaf.kind === "session") return [];
  const fields = leaf.within.flatMap((field) => (field.field === "role" ? [] : [field.anyOf]));
  const sequences = leaf.kind === "text" ? [[leaf.text], ...fields] : fields;
  // Longest word first, since it is the rarest.
  return sequences.map((anyOf) =>
    anyOf.map(({ steps }) => steps.toSorted((a, b) => b.length - a.length).map((step) => numberOf(step, words))),
  );
}

function numberOf(word: string, words: string[]): number {
  const known = words.indexOf(word);
  return known === -1 ? words.push(word) - 1 : known;
}

/** A few words of which one must be present; undefined if the query can be true without any. */
function keyWords(
  node: Node,
  requirements: readonly (readonly Requirement[])[],
  words: readonly string[],
): number[] | undefined {
  const best = (candidates: readonly (number[] | undefined)[]): number[] | undefined =>
    candidates
      .filter((keys) => keys !== undefined)
      .toSorted((a, b) => a.length - b.length || shortest(b, words) - shortest(a, words))[0];
  switch (node.op) {
    case "leaf":
      return best(requirements[node.leaf]!.map((anyOf) => [...new Set(anyOf.map(([first]) => first!))]));
    case "not":
      return undefined;
    case "all":
      return best(node.of.map((part) => keyWords(part, requirements, words)));
    case "any": {
      const branches = node.of.map((part) => keyWords(part, requirements, words));
      return branches.includes(undefined) ? undefined : [...new Set(branches.flatMap((keys) => keys!))];
    }
  }
}

function shortest(keys: readonly number[], words: readonly string[]): number {
  return Math.min(...keys.map((word) => words[word]!.length));
}

/** The filter, with each adapter's description of its files. */
export class ByteCandidates {
  readonly #filter: ByteFilter;
  /** Agents whose files hold titles of other sessions. */
  readonly withForeignTitles = new Set<string>();

  constructor(plan: Plan) {
    this.#filter = new ByteFilter(plan);
  }

  /** Whether bytes can rule out sessions of this agent. */
  canTell({ adapter }: Catalog): boolean {
    return this.#filter.isUseful && adapter.history?.bytes !== undefined;
  }

  /** False only if the session cannot match. */
  mayMatch(catalog: Catalog, source: SessionSource): boolean {
    if (!this.canTell(catalog)) return true;
    const chain = [source];
    for (;;) {
      const session = bytesOf(catalog.adapter.history!.bytes!, chain);
      if (session === undefined) return true;
      const { mayMatch, headers, hasTitles } = this.#filter.look(session);
      if (hasTitles) this.withForeignTitles.add(catalog.adapter.name);
      if (mayMatch) return true;
      if (headers.length === 0) return false;
      // Some of the words may be in the file the conversation begins in.
      const origins = headers.map((header) => originNamedIn(catalog, header));
      const further = origins.filter((origin) => origin === undefined || !chain.includes(origin));
      if (further.length === 0) return false;
      if (further.includes(undefined)) return true;
      for (const origin of new Set(further as SessionSource[])) chain.push(origin);
    }
  }
}

/** The filter's input for a session and those it begins in. Undefined if one of them must be read. */
export function bytesOf(bytes: ByteSearch, chain: readonly SessionSource[]): BytesOfSession | undefined {
  const paths: string[] = [];
  let text = bytes.ownWords ?? "";
  for (const source of chain) {
    const files = bytes.files(source);
    if (files === undefined) return undefined;
    for (const path of files) paths.push(path);
    if (bytes.text !== undefined) text = `${bytes.text(source)} ${text}`;
  }
  return { paths, text, originMark: bytes.origin?.mark, titleMark: bytes.foreignTitles };
}
