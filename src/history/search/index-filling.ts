/**
 * Takes into the index what searches found it to lack: a little behind each answer or, in a program that stays, all of it while
 * nobody searches. Until then common words, and beginnings of them, are looked for in whole sessions, which takes as long as filling it.
 */
import type { Catalog } from "../catalog.ts";
import type { BuildOptions, BuildResult } from "./index-builder.ts";

/** Not noticed behind an answer, and enough to keep up with a day's work. */
const FILL_MS = 300;

/** Each piece has all sessions compared with the index first. */
const PIECE_MS = 5000;

/** Whoever types begins the next search about as soon as one is given up. */
const QUIET_MS = 150;

type Build = (catalogs: readonly Catalog[], options: BuildOptions) => Promise<BuildResult>;

export interface FillingOptions {
  /** Of a program that goes on for long after a search. */
  stays?: boolean;
  /** What keeps the index from being filled; everything works without. Told once for as long as it does. */
  onProblem?: (error: Error) => void;
}

export class IndexFilling {
  readonly #build: Build;
  readonly #stays: boolean;
  readonly #onProblem: ((error: Error) => void) | undefined;
  #searching = 0;
  #going: Promise<void> = Promise.resolve();
  #isGoing = false;
  #lacking: readonly Catalog[] = [];
  /** Since a piece was taken in. */
  readonly #told = new Set<string>();

  constructor(build: Build, { stays = false, onProblem }: FillingOptions = {}) {
    this.#build = build;
    this.#stays = stays;
    this.#onProblem = onProblem;
  }

  /** Nothing is begun meanwhile, and what goes on ends soon: an index that changes is asked again. */
  async whileSearching<T>(search: () => Promise<T>): Promise<T> {
    this.#searching++;
    try {
      return await search();
    } finally {
      this.#searching--;
    }
  }

  /** A search has found out that there is something to do, whether it is answered or given up. None: there is nothing. */
  found(catalogs: readonly Catalog[]): void {
    if (catalogs.length === 0 && this.#isGoing) return;
    this.#lacking = catalogs;
    if (!this.#stays || this.#isGoing || catalogs.length === 0) return;
    this.#isGoing = true;
    this.#going = this.#goOn();
  }

  /** The same search is answered. */
  answered(): void {
    const catalogs = this.#lacking;
    if (this.#stays || catalogs.length === 0) return;
    this.#lacking = [];
    this.#going = this.#going.then(() => this.#piece(catalogs, { budgetMs: FILL_MS })).then(() => {});
  }

  /** When nothing is left over from an earlier search. */
  async idle(): Promise<void> {
    await this.#going;
  }

  async #goOn(): Promise<void> {
    const isSearching = (): boolean => this.#searching > 0;
    try {
      for (let isLeft = true; isLeft;) {
        do await pause(QUIET_MS);
        while (isSearching());
        const done = await this.#piece(this.#lacking, { budgetMs: PIECE_MS, isEnough: isSearching });
        isLeft = done?.stopped === "time" && (isSearching() || done.added > 0);
      }
    } finally {
      this.#isGoing = false;
      this.#lacking = [];
    }
  }

  /** A failure costs nothing but the time of the next search. */
  async #piece(catalogs: readonly Catalog[], options: BuildOptions): Promise<BuildResult | undefined> {
    try {
      const done = await this.#build(catalogs, options);
      if (done.stopped === "space") this.#tell(new Error("There is no room left on the disk for the search index."));
      else if (done.stopped !== "busy") this.#told.clear();
      return done;
    } catch (error) {
      // No right to write there, too many open files: everything works without an index.
      this.#tell(asError(error));
      return undefined;
    }
  }

  #tell(error: Error): void {
    if (this.#told.has(error.message)) return;
    this.#told.add(error.message);
    this.#onProblem?.(error);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Nobody waits for it: a program that has nothing else to do ends. */
async function pause(ms: number): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());
}
