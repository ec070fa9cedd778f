/**
 * Rules out sessions by the bytes of their files, without parsing. The files hold JSON: a word that is in the bytes in no form is
 * in no text of the session. Possible matches are left to the reader. Also finds origins: sessions whose files a conversation
 * begins in. Such a fork refers to its parent instead of copying it.
 */
import { closeSync, fstatSync, readSync } from "node:fs";
import { openForReading } from "../../lib/fs/foreign-file.ts";
import { parseRecord, readLines, trim } from "../../lib/json/jsonl.ts";
import { ByteWords, CARRY_BYTES, PIECE_BYTES } from "./byte-words.ts";
import { answerOf, MAYBE, NO, type Plan, type Leaf } from "./plan.ts";
import { fold } from "./words.ts";
import type { ByteSearch, SessionSource } from "../../agents/adapter.ts";
import type { Catalog } from "../catalog.ts";

const LINE_FEED = 10;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;

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
  headers: Buffer[];
  hasTitles: boolean;
}

export class ByteFilter {
  readonly #plan: Plan;
  readonly #bytes = Buffer.allocUnsafe(CARRY_BYTES + PIECE_BYTES);
  /** By leaf; each requirement must be met. */
  readonly #requirements: Requirement[][];
  readonly #words: ReadonlySet<string>;
  readonly #byteWords: ByteWords;
  /** Whether bytes can rule out any session at all. */
  readonly isUseful: boolean;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#requirements = plan.leaves.map(requirementsOf);
    this.#words = new Set(this.#requirements.flat(3));
    this.#byteWords = new ByteWords(this.#words);
    this.isUseful = !this.#isAnswered(this.#words);
  }

  /** Whether the session can match. `false` comes with the headers of its files that name an origin. */
  look(session: BytesOfSession): Look {
    const look: Look = { mayMatch: true, headers: [], hasTitles: false };
    const outside = fold(session.text);
    const missing = new Set([...this.#words].filter((word) => !outside.includes(word)));
    look.mayMatch =
      this.#isAnswered(missing) || session.paths.some((path) => this.#mayMatchIn(path, session, missing, look));
    return look;
  }

  /** Whether the words are complete with those of this file, or only the reader can tell. */
  #mayMatchIn(path: string, session: BytesOfSession, missing: Set<string>, look: Look): boolean {
    let fd: number;
    try {
      fd = openForReading(path);
    } catch {
      // The reader reports what cannot be opened.
      return true;
    }
    try {
      return this.#readPieces(fd, session, missing, look);
    } catch {
      return true;
    } finally {
      closeSync(fd);
    }
  }

  #readPieces(fd: number, session: BytesOfSession, missing: Set<string>, look: Look): boolean {
    const bytes = this.#bytes;
    for (let carried = 0, position = 0; ;) {
      const got = readSync(fd, bytes, carried, PIECE_BYTES, position);
      if (got === 0) return false;
      const end = carried + got;
      const piece = bytes.subarray(0, end);
      if (position === 0 && !seeBeginning(session, piece, fd, look)) return true;
      position += got;
      this.#byteWords.takeFound(missing, piece);
      if (this.#isAnswered(missing)) return true;
      carried = Math.min(CARRY_BYTES, end);
      bytes.copyWithin(0, end - carried, end);
    }
  }

  /** Whether all other words can be sufficient. */
  #isAnswered(missing: ReadonlySet<string>): boolean {
    const answer = answerOf(this.#plan.root, (leaf) => {
      const isMet = this.#requirements[leaf]!.every((anyOf) =>
        anyOf.some((words) => !words.some((word) => missing.has(word))),
      );
      return isMet ? MAYBE : NO;
    });
    return answer !== NO;
  }
}

/** False if only the reader can tell: the file is no JSON, which it reports, or its first line, with the origin, is too long. */
function seeBeginning({ originMark, titleMark }: BytesOfSession, piece: Buffer, fd: number, look: Look): boolean {
  const [first] = trim(piece, true);
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return false;
  if (titleMark !== undefined && piece.subarray(0, titleMark.length).includes(titleMark)) look.hasTitles = true;
  if (originMark === undefined) return true;
  const lineEnd = piece.indexOf(LINE_FEED);
  if (lineEnd === -1 && piece.length < fstatSync(fd).size) return false;
  const header = piece.subarray(0, lineEnd === -1 ? piece.length : lineEnd);
  if (header.includes(originMark)) look.headers.push(Buffer.from(header));
  return true;
}

/** One alternative must be present, with all its words. */
type Requirement = readonly (readonly string[])[];

/** The requirements for the leaf to be true. */
function requirementsOf(leaf: Leaf): Requirement[] {
  // Session fields are skipped: they need not be in its files.
  if (leaf.kind === "session") return [];
  const fields = leaf.within.flatMap((field) => (field.field === "role" ? [] : [field.anyOf]));
  const sequences = leaf.kind === "text" ? [[leaf.text], ...fields] : fields;
  return sequences.map((anyOf) => anyOf.map(({ steps }) => steps));
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
function bytesOf(bytes: ByteSearch, chain: readonly SessionSource[]): BytesOfSession | undefined {
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

/** All sessions whose files this conversation begins in, if they exist. */
export function originsOf(catalog: Catalog, source: SessionSource): SessionSource[] {
  const { bytes } = catalog.adapter.history!;
  if (bytes?.origin === undefined) return [];
  const mark = Buffer.from(bytes.origin.mark);
  const chain = new Set([source]);
  for (const link of chain) {
    for (const path of bytes.files(link) ?? []) {
      const line = firstLine(path);
      const origin = line?.includes(mark) ? originNamedIn(catalog, line) : undefined;
      if (origin) chain.add(origin);
    }
  }
  chain.delete(source);
  return [...chain];
}

/** The session that a file's first line names as its origin; undefined if it does not exist. */
function originNamedIn(catalog: Catalog, line: Buffer): SessionSource | undefined {
  const header = parseRecord(line);
  const id = header && catalog.adapter.history!.bytes!.origin!.sessionId(header);
  return id === undefined ? undefined : catalog.source(id);
}

function firstLine(path: string): Buffer | undefined {
  try {
    for (const line of readLines(path)) return Buffer.from(line.bytes);
  } catch {
    // The session's reader reports it.
  }
  return undefined;
}
