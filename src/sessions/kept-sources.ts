/**
 * Where an agent's sessions lay when they were listed, kept with the moment from which on changes are looked for: as long as
 * only files of single sessions have changed since, they need not be listed again.
 */
import type { SessionSource } from "../agents/adapter.ts";
import type { FileStat } from "../lib/directory.ts";
import { markOf, type TreeMark } from "../lib/tree-mark.ts";
import type { TreeChange } from "../lib/tree-survey.ts";
import type { Catalog } from "./catalog.ts";
import { FileStamps, STAMP_NUMBERS } from "./kept-accounts.ts";
import { jsonPart, numbersPart, type Segment } from "./kept-file.ts";

/** More have changed than in a day: then they are listed again, to look for changes from a later moment on. */
const MANY = 500;

/** Questions that are answered sooner by looking through all paths. */
const FEW = 8;

interface Facts {
  mark: TreeMark;
  /** Where the sessions were looked for. */
  roots: string[];
  ids: string[];
  /** Numbers of each one's stamps. */
  lengths: number[];
}

/** A line each: what a source has beside its id and its files. */
type Line = [path: string, updatedMs: number, locator: unknown];

/** Undefined when it cannot be told later that nothing has changed, or something was left out that has to be told again. */
export function sourcesSegment(name: string, catalog: Catalog): Segment | undefined {
  const { seen, adapter, env } = catalog;
  const mark = seen && catalog.notes.skippedCount === 0 ? markOf(seen) : undefined;
  if (mark === undefined) return undefined;
  const facts: Facts = { mark, roots: adapter.history!.roots(env), ids: catalog.ids(), lengths: [] };
  const lines: string[] = [];
  const paths: string[] = [];
  const stamps: number[] = [];
  for (const id of facts.ids) {
    const { path, files, updatedMs, locator } = catalog.source(id)!;
    const own = FileStamps.of(files)?.numbers;
    if (own === undefined) return undefined;
    const line: Line = [path, updatedMs, locator];
    lines.push(JSON.stringify(line));
    for (const file of files) paths.push(file.path);
    facts.lengths.push(own.length);
    stamps.push(...own);
  }
  if (paths.some((path) => path.includes("\n"))) return undefined;
  return {
    name,
    parts: [
      jsonPart(facts),
      Buffer.from(lines.join("\n")),
      Buffer.from(paths.join("\n")),
      Buffer.from(`\n${[...seen!.opened].join("\n")}\n`),
      numbersPart(Float64Array.from(stamps)),
    ],
  };
}

export class KeptSources {
  readonly #facts: Facts;
  readonly #bytes: Buffer;
  readonly #opened: Buffer;
  readonly #stamps: Float64Array;
  readonly #pathBytes: Buffer;
  #lines: string[] | undefined;
  #paths: string[] | undefined;
  #owners: Map<string, number> | undefined;
  #asked = 0;

  constructor({ parts }: Segment) {
    const [json, lines, paths, opened, stamps] = parts as [Buffer, Buffer, Buffer, Buffer, Buffer];
    this.#facts = JSON.parse(String(json)) as Facts;
    this.#bytes = lines;
    this.#pathBytes = paths;
    this.#opened = opened;
    this.#stamps = new Float64Array(stamps.buffer, stamps.byteOffset, stamps.length >> 3);
  }

  get mark(): TreeMark {
    return this.#facts.mark;
  }

  areOf(roots: readonly string[]): boolean {
    return roots.join("\n") === this.#facts.roots.join("\n");
  }

  /** The sessions as they are with these changes. Undefined: they have to be listed again. */
  after(changes: readonly TreeChange[]): Map<string, SessionSource> | undefined {
    if (changes.length > MANY) return undefined;
    const changed = new Map<number, FileStat[]>();
    for (const { path, stat, isDirectory } of changes) {
      const index =
        isDirectory || stat === undefined || this.#opened.includes(`\n${path}\n`) ? -1 : this.#ownerOf(path);
      if (index === -1) return undefined;
      changed.set(index, [...(changed.get(index) ?? []), stat!]);
    }
    const sources = new Map<string, SessionSource>();
    const { ids, lengths } = this.#facts;
    let at = 0;
    for (let index = 0; index < ids.length; index++) {
      const id = ids[index]!;
      sources.set(id, new SourceOnFile(id, this, index, at, changed.get(index)));
      at += lengths[index]!;
    }
    return sources;
  }

  /** The session that a file belongs to; -1 for none, or several. */
  #ownerOf(path: string): number {
    if (this.#owners === undefined && this.#asked++ < FEW) return this.#lookFor(path);
    return this.#allOwners.get(path) ?? -1;
  }

  /** The same without knowing all of them. */
  #lookFor(path: string): number {
    const found = this.#allPaths.indexOf(path);
    if (found === -1 || this.#allPaths.includes(path, found + 1)) return -1;
    let end = 0;
    return this.#facts.lengths.findIndex((length) => found < (end += length / STAMP_NUMBERS));
  }

  /** The session that a file belongs to; undefined for none. */
  ownerOf(path: string): string | undefined {
    return this.#facts.ids[this.#ownerOf(path)];
  }

  get #allOwners(): Map<string, number> {
    if (this.#owners) return this.#owners;
    this.#owners = new Map();
    let at = 0;
    for (const [index, length] of this.#facts.lengths.entries()) {
      for (let end = at + length / STAMP_NUMBERS; at < end; at++) {
        const path = this.#allPaths[at]!;
        this.#owners.set(path, this.#owners.has(path) ? -1 : index);
      }
    }
    return this.#owners;
  }

  get #allPaths(): string[] {
    this.#paths ??= String(this.#pathBytes).split("\n");
    return this.#paths;
  }

  /** Of the files whose stamps begin at a place. */
  paths(at: number, count: number): string[] {
    return this.#allPaths.slice(at / STAMP_NUMBERS, at / STAMP_NUMBERS + count);
  }

  get #allLines(): string[] {
    this.#lines ??= String(this.#bytes).split("\n");
    return this.#lines;
  }

  /** Of a session's files; they begin at a place. */
  stamps(index: number, at: number): FileStamps {
    return new FileStamps(this.#stamps, at, at + this.#facts.lengths[index]!);
  }

  /** Whether these are the stamps at a place: asked of thousands, so nothing is made for it. */
  areStamps(stamps: FileStamps, index: number, at: number): boolean {
    return stamps.areAt(this.#stamps, at, this.#facts.lengths[index]!);
  }

  line(index: number): Line {
    return JSON.parse(this.#allLines[index]!) as Line;
  }
}

/** A source that is told from its line when somebody asks. */
export class SourceOnFile implements SessionSource {
  readonly sessionId: string;
  readonly kept: KeptSources;
  readonly #index: number;
  /** Where the stamps of its files begin. */
  readonly #at: number;
  readonly #changed: readonly FileStat[] | undefined;
  #stamps: FileStamps | undefined;
  #line: Line | undefined;

  constructor(id: string, kept: KeptSources, index: number, at: number, changed: readonly FileStat[] | undefined) {
    this.sessionId = id;
    this.kept = kept;
    this.#index = index;
    this.#at = at;
    this.#changed = changed;
  }

  /** Its files are as they were when these were taken. */
  isAs(stamps: FileStamps): boolean {
    if (this.#changed === undefined) return this.kept.areStamps(stamps, this.#index, this.#at);
    return stamps.match(this.files);
  }

  get #now(): FileStamps {
    if (this.#stamps === undefined) {
      const kept = this.kept.stamps(this.#index, this.#at);
      const paths = this.kept.paths(this.#at, kept.fileCount);
      this.#stamps = this.#changed === undefined ? kept : kept.with(paths, this.#changed);
    }
    return this.#stamps;
  }

  get #own(): Line {
    this.#line ??= this.kept.line(this.#index);
    return this.#line;
  }

  get path(): string {
    return this.#own[0];
  }

  get files(): readonly FileStat[] {
    const { numbers, fileCount } = this.#now;
    return this.kept.paths(this.#at, fileCount).map((path, index) => {
      const at = STAMP_NUMBERS * index;
      return { path, ino: numbers[at]!, size: numbers[at + 1]!, mtimeMs: numbers[at + 2]! };
    });
  }

  get updatedMs(): number {
    return Math.max(this.#own[1], ...(this.#changed ?? []).map(({ mtimeMs }) => mtimeMs));
  }

  get locator(): unknown {
    return this.#own[2];
  }
}
