/** The index as a running process holds it: opened when first asked, its lists read again only when somebody wrote. */
import { statSync } from "node:fs";
import { IndexDatabase } from "../cache/database.ts";
import { SearchIndex } from "./index-reader.ts";
import { SEARCH_TABLES } from "./index-tables.ts";

interface Opened {
  database: IndexDatabase;
  /** Of the file: it may be cleared or set aside, and then made anew. */
  ino: number;
  version: number;
  index: SearchIndex;
}

export class IndexConnection {
  readonly path: string;
  #opened: Opened | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Runs `use` on one state of the index; without one when there is none, when it cannot be used, or when it fails under
   * the questions: then it is as if it had never been there.
   */
  ask<T>(without: boolean, use: (index: SearchIndex | undefined) => T): T {
    if (!without) {
      try {
        const opened = this.#open();
        if (opened) return opened.database.snapshot(() => use(this.#current(opened)));
      } catch {
        // Damaged or locked for good. A builder that meets the damage sets the file aside.
        this.close();
      }
    }
    return use(undefined);
  }

  #open(): Opened | undefined {
    const ino = statSync(this.path, { throwIfNoEntry: false })?.ino;
    if (this.#opened && this.#opened.ino !== ino) this.close();
    if (this.#opened || ino === undefined) return this.#opened;
    const database = IndexDatabase.openExisting(this.path, SEARCH_TABLES);
    if (database === undefined) return undefined;
    this.#opened = database.snapshot(() => {
      const index = new SearchIndex(database);
      return { database, ino, version: database.dataVersion, index };
    });
    return this.#opened;
  }

  #current(opened: Opened): SearchIndex {
    const version = opened.database.dataVersion;
    if (version !== opened.version) {
      opened.index = new SearchIndex(opened.database);
      opened.version = version;
    }
    return opened.index;
  }

  close(): void {
    try {
      this.#opened?.database.close();
    } catch {
      // Nothing depends on it any more.
    }
    this.#opened = undefined;
  }
}
