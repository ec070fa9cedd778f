/**
 * Where an agent's sessions lay when they were listed, kept with all that the listing looked at: as long as only files of single
 * sessions have changed since, they need not be listed again.
 */
import type { SessionSource } from "../agents/adapter.ts";
import type { SkippedFile } from "../agents/read-notes.ts";
import { fileStat, SETTLING_MS, type FileStat, type Sights } from "../lib/directory.ts";
import type { Catalog, ListingNotes } from "./catalog.ts";
import { FileStamps, STAMP_NUMBERS } from "./file-stamps.ts";
import { jsonPart, numbersPart, type Segment } from "./kept-file.ts";
import { KeptIds } from "./kept-ids.ts";
import { changedSoFar, recordOf, type ListingRecord } from "./search/listing-record.ts";

/** More have changed than in a day: then they are listed again, to have the new state kept. */
const MANY = 500;

/** An agent's sessions by id: in a map, or where they are kept. */
export interface SourcesById extends Pick<Map<string, SessionSource>, "size" | "get" | "keys" | "values"> {
  /** What was left out when they were listed for somebody else. */
  readonly skipped?: readonly SkippedFile[];
}

interface Facts {
  /** Where the sessions were looked for. */
  roots: string[];
  /** What the listing left out, which is to be told again. */
  skipped: readonly SkippedFile[];
}

/** A line each: what a source has beside its id and its files. */
type Line = [path: string, updatedMs: number, locator: unknown];

/** Undefined when it cannot be told later that nothing has changed. */
export function sourcesSegment(catalog: Catalog): Pick<Segment, "parts"> | undefined {
  const { seen, adapter, env } = catalog;
  const skipped = seen && leftOut(seen, catalog.listingNotes);
  if (seen === undefined || skipped === undefined) return undefined;
  const ids = catalog.ids();
  const lines: string[] = [];
  const paths: string[] = [];
  const ends = new Int32Array(ids.length);
  const stamps: number[] = [];
  const owners = new Map<string, number>();
  for (const [index, id] of ids.entries()) {
    const { path, files, updatedMs, locator } = catalog.source(id)!;
    const own = FileStamps.of(files)?.numbers;
    if (own === undefined) return undefined;
    const line: Line = [path, updatedMs, locator];
    lines.push(JSON.stringify(line));
    for (const file of files) {
      paths.push(file.path);
      // A file that several depend on tells nothing about any of them.
      owners.set(file.path, owners.has(file.path) ? 0 : index + 1);
    }
    stamps.push(...own);
    ends[index] = paths.length;
  }
  const ownerOf = (path: string): number => owners.get(path) ?? 0;
  const record = isSettled(seen, ownerOf) ? recordOf(seen, ownerOf) : undefined;
  const places = record && placesIn(record, paths);
  if (record === undefined || places === undefined) return undefined;
  const facts: Facts = { roots: adapter.history!.roots(env), skipped };
  return {
    parts: [
      jsonPart(facts),
      jsonPart(ids),
      Buffer.from(lines.join("\n")),
      jsonPart(record.paths),
      numbersPart(record.stamps),
      numbersPart(record.owners),
      numbersPart(places),
      numbersPart(ends),
      numbersPart(Float64Array.from(stamps)),
    ],
  };
}

/**
 * What the listing left out for what it is: the same is left out again while nothing has changed. Undefined where something was left
 * out because it could not be looked at or read, which may be otherwise although its size and time are the same; or where
 * not all of it was noted.
 */
function leftOut({ isUnsure, opened }: Sights, { skipped, count }: ListingNotes): readonly SkippedFile[] | undefined {
  return isUnsure || skipped.length < count || skipped.some(({ path }) => opened.has(path)) ? undefined : skipped;
}

/** What was changed shortly before it was looked at, or since, may have been changed once more without a trace. */
function isSettled({ directories, files, startedMs }: Sights, ownerOf: (path: string) => number): boolean {
  const isFresh = (stat: FileStat | undefined): boolean =>
    stat !== undefined && stat.mtimeMs > startedMs - SETTLING_MS && stat.mtimeMs <= Date.now();
  for (const stat of directories.values()) if (isFresh(stat)) return false;
  for (const [path, stat] of files) if (isFresh(stat) && ownerOf(path) === 0) return false;
  return true;
}

/** Which ones of the record these are. Undefined: one of them was not looked at. */
function placesIn(record: ListingRecord, paths: readonly string[]): Int32Array | undefined {
  const places = new Map(record.paths.map((path, place) => [path, place]));
  return paths.every((path) => places.has(path)) ? Int32Array.from(paths, (path) => places.get(path)!) : undefined;
}

export class KeptSources {
  readonly #facts: Facts;
  readonly #record: ListingRecord;
  readonly #lineBytes: Buffer;
  readonly #places: Int32Array;
  readonly #ends: Int32Array;
  readonly #stamps: Float64Array;
  readonly ids: KeptIds;
  /** Of all sessions' files, one session's behind the other's. */
  readonly stampBytes: Buffer;
  #lines: string[] | undefined;
  #owners: Map<string, number> | undefined;

  constructor({ parts }: Pick<Segment, "parts">) {
    const [json, ids, lines, paths, looks, owners, places, ends, stamps] = parts as [
      ...[Buffer, Buffer, Buffer, Buffer, Buffer],
      ...[Buffer, Buffer, Buffer, Buffer],
    ];
    this.#facts = JSON.parse(String(json)) as Facts;
    this.ids = new KeptIds(ids);
    this.stampBytes = stamps;
    this.#lineBytes = lines;
    this.#places = wordsIn(places);
    this.#ends = wordsIn(ends);
    this.#stamps = doublesIn(stamps);
    this.#record = {
      paths: JSON.parse(String(paths)) as string[],
      stamps: doublesIn(looks),
      owners: wordsIn(owners),
    };
  }

  areOf(roots: readonly string[]): boolean {
    return roots.join("\n") === this.#facts.roots.join("\n");
  }

  /** Files that are none of them, and why. */
  get skipped(): readonly SkippedFile[] {
    return this.#facts.skipped;
  }

  /** The same sessions and files, as they were at the same time. */
  isOfSame({ ids, stampBytes }: KeptSources): boolean {
    return this.ids.bytes.equals(ids.bytes) && this.stampBytes.equals(stampBytes);
  }

  /** When the last of all files was changed that were before then. */
  newestBefore(ms: number): number {
    let newest = 0;
    for (let at = 2; at < this.#stamps.length; at += STAMP_NUMBERS) {
      const time = this.#stamps[at]!;
      if (time > newest && time <= ms) newest = time;
    }
    return newest;
  }

  /** The sessions as they are now. Undefined: they have to be listed again. */
  async now(): Promise<SourcesOnFile | undefined> {
    const owners = await changedSoFar(this.#record);
    if (owners === undefined || owners.size > MANY) return undefined;
    const changed = new Map<number, FileStat[]>();
    for (const owner of owners) {
      const files = this.paths(owner - 1).map((path) => fileStat(path));
      // Gone since, or not a file any more.
      if (files.includes(undefined) || this.#isEarlier(owner - 1, files as FileStat[])) return undefined;
      changed.set(owner - 1, files as FileStat[]);
    }
    return new SourcesOnFile(this, changed);
  }

  /** One of a session's files has been put back: when the session was changed, only a listing tells. */
  #isEarlier(index: number, files: readonly FileStat[]): boolean {
    const { numbers } = this.stamps(index);
    return files.some(({ mtimeMs }, file) => mtimeMs < numbers[STAMP_NUMBERS * file + 2]!);
  }

  get size(): number {
    return this.#ends.length;
  }

  /** The session that a file belongs to; -1 for none, or several. */
  ownerOf(path: string): number {
    const { owners, paths } = this.#record;
    this.#owners ??= new Map(paths.map((own, place) => [own, owners[place]! - 1]));
    return this.#owners.get(path) ?? -1;
  }

  #start(index: number): number {
    return index === 0 ? 0 : this.#ends[index - 1]!;
  }

  /** Of a session's files. */
  paths(index: number): string[] {
    const places = this.#places.subarray(this.#start(index), this.#ends[index]);
    return Array.from(places, (place) => this.#record.paths[place]!);
  }

  stamps(index: number): FileStamps {
    return new FileStamps(this.#stamps, STAMP_NUMBERS * this.#start(index), STAMP_NUMBERS * this.#ends[index]!);
  }

  /** The session that a number of the stamps is of. */
  indexAt(stamp: number): number {
    const file = Math.floor(stamp / STAMP_NUMBERS);
    return this.#ends.findIndex((end) => file < end);
  }

  line(index: number): Line {
    this.#lines ??= String(this.#lineBytes).split("\n");
    return JSON.parse(this.#lines[index]!) as Line;
  }
}

function wordsIn(bytes: Buffer): Int32Array {
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
}

function doublesIn(bytes: Buffer): Float64Array {
  return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length >> 3);
}

/** All of them; each is made when somebody asks for it. */
export class SourcesOnFile implements SourcesById {
  readonly kept: KeptSources;
  /** Sessions whose files are not as they were, and how those are now. */
  readonly changed: ReadonlyMap<number, readonly FileStat[]>;

  constructor(kept: KeptSources, changed: ReadonlyMap<number, readonly FileStat[]>) {
    this.kept = kept;
    this.changed = changed;
  }

  get skipped(): readonly SkippedFile[] {
    return this.kept.skipped;
  }

  /** All files are the same. */
  isAs({ kept, changed }: SourcesOnFile): boolean {
    if (kept !== this.kept || changed.size !== this.changed.size) return false;
    for (const [index, files] of changed) {
      const own = this.changed.get(index);
      if (own === undefined || !FileStamps.of(own)?.match(files)) return false;
    }
    return true;
  }

  newestBefore(ms: number): number {
    const times = [...this.changed.values()].flatMap((files) => files.map(({ mtimeMs }) => mtimeMs));
    return Math.max(this.kept.newestBefore(ms), ...times.filter((time) => time <= ms));
  }

  get size(): number {
    return this.kept.size;
  }

  get(id: string): SourceOnFile | undefined {
    const index = this.kept.ids.indexOf(id);
    return index === -1 ? undefined : this.#at(index);
  }

  #at(index: number): SourceOnFile {
    return new SourceOnFile(this.kept, index, this.changed.get(index));
  }

  /** The one that a file belongs to; undefined for none. */
  ownerOf(path: string): SourceOnFile | undefined {
    const index = this.kept.ownerOf(path);
    return index === -1 ? undefined : this.#at(index);
  }

  keys(): MapIterator<string> {
    return this.kept.ids.all.values();
  }

  *values(): MapIterator<SourceOnFile> {
    for (let index = 0; index < this.size; index++) yield this.#at(index);
  }
}

/** A source that is told from its line when somebody asks. */
export class SourceOnFile implements SessionSource {
  readonly #kept: KeptSources;
  readonly #index: number;
  readonly #changed: readonly FileStat[] | undefined;
  #line: Line | undefined;

  constructor(kept: KeptSources, index: number, changed: readonly FileStat[] | undefined) {
    this.#kept = kept;
    this.#index = index;
    this.#changed = changed;
  }

  get sessionId(): string {
    return this.#kept.ids.all[this.#index]!;
  }

  /** Its files are as they were when these were taken. */
  isAs(stamps: FileStamps): boolean {
    return this.#changed === undefined ? stamps.equal(this.#kept.stamps(this.#index)) : stamps.match(this.#changed);
  }

  get #own(): Line {
    this.#line ??= this.#kept.line(this.#index);
    return this.#line;
  }

  get path(): string {
    return this.#own[0];
  }

  get files(): readonly FileStat[] {
    if (this.#changed !== undefined) return this.#changed;
    const { numbers } = this.#kept.stamps(this.#index);
    return this.#kept.paths(this.#index).map((path, file) => {
      const at = STAMP_NUMBERS * file;
      return { path, ino: numbers[at]!, size: numbers[at + 1]!, mtimeMs: numbers[at + 2]! };
    });
  }

  get updatedMs(): number {
    const { numbers } = this.#kept.stamps(this.#index);
    const times = (this.#changed ?? []).map(({ mtimeMs }) => mtimeMs);
    // Not every file of a session tells when it was changed, but one that has changed does.
    return Math.max(this.#own[1], ...times.filter((time, file) => time !== numbers[STAMP_NUMBERS * file + 2]));
  }

  get locator(): unknown {
    return this.#own[2];
  }
}
