/**
 * Fills the index with sessions that searches missed: a little after each answer, or all of it while a long-running program is
 * idle. Until then, common words and prefixes are searched in whole sessions, which takes as long as filling.
 */
import type { Catalog } from "../catalog.ts";
import type { BuildOptions, BuildResult } from "./index-builder.ts";

/** Short enough to go unnoticed after an answer, long enough to keep up with a day's work. */
const FILL_MS = 300;

/** Each piece starts by comparing all sessions with the index. */
const PIECE_MS = 5000;

/** While typing, the next search starts about as soon as one is cancelled. */
const QUIET_MS = 150;

type Build = (catalogs: readonly Catalog[], options: BuildOptions) => Promise<BuildResult>;

export interface FillingOptions {
  /** For a program that keeps running after a search. */
  stays?: boolean;
  /** Receives what keeps the index from being filled, once per problem. Everything works without an index. */
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
  /** Since the last piece. */
  readonly #told = new Set<string>();

  constructor(build: Build, { stays = false, onProblem }: FillingOptions = {}) {
    this.#build = build;
    this.#stays = stays;
    this.#onProblem = onProblem;
  }

  /** Pauses filling: starts nothing and ends the current piece soon, because a changed index is queried again. */
  async whileSearching<T>(search: () => Promise<T>): Promise<T> {
    this.#searching++;
    try {
      return await search();
    } finally {
      this.#searching--;
    }
  }

  /** A search has found missing sessions, whether it completes or is cancelled. None: nothing is missing. */
  found(catalogs: readonly Catalog[]): void {
    if (catalogs.length === 0 && this.#isGoing) return;
    this.#lacking = catalogs;
    if (!this.#stays || this.#isGoing || catalogs.length === 0) return;
    this.#isGoing = true;
    this.#going = this.#goOn();
  }

  /** The same search is complete. */
  answered(): void {
    const catalogs = this.#lacking;
    if (this.#stays || catalogs.length === 0) return;
    this.#lacking = [];
    this.#going = this.#going.then(() => this.#piece(catalogs, { budgetMs: FILL_MS })).then(() => {});
  }

  /** Resolves when nothing is left from an earlier search. */
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

  /** A failure only slows the next search. */
  async #piece(catalogs: readonly Catalog[], options: BuildOptions): Promise<BuildResult | undefined> {
    try {
      const done = await this.#build(catalogs, options);
      if (done.stopped === "space") this.#tell(new Error("There is no room left on the disk for the search index."));
      else if (done.stopped !== "busy") this.#told.clear();
      return done;
    } catch (error) {
      // No permission, or too many open files: everything works without an index.
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

/** Does not keep the process alive. */
async function pause(ms: number): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());
}
