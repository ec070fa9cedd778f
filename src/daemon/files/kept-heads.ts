/**
 * What was read of conversations, kept on disk, so that a daemon that starts again opens only the files that changed
 * meanwhile. A cache: without it, or with a damaged one, everything is the same, only later.
 */
import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { writeFileAtomic } from "../../lib/atomic-file.ts";

/** Null: there is no conversation in the files. */
const Head = z.nullable(
  z.object({
    title: z.string(),
    cwd: z.optional(z.string()),
    createdMs: z.number(),
    updatedMs: z.number(),
    hidden: z.boolean(),
  }),
);
export type KeptHead = z.infer<typeof Head>;

/** A session's id, how its files stood, and what was in them. */
const Row = z.tuple([z.string(), z.string(), Head]);
const Kept = z.object({ build: z.string(), agents: z.record(z.string(), z.array(Row)) });

export type KeptHeads = ReadonlyMap<string, { signature: string; head: KeptHead }>;

/** So many heads may have to be read again at the next start: what is written often is worn out. */
const UNSAVED = 50;

export class KeptHeadsFile {
  readonly #path: string;
  readonly #build: string;
  #agents: Map<string, KeptHeads> | undefined;

  /** `build` names the program: another one may read files in another way. */
  constructor(path: string, build: string) {
    this.#path = path;
    this.#build = build;
  }

  of(agent: string): KeptHeads {
    this.#agents ??= this.#load();
    return this.#agents.get(agent) ?? new Map();
  }

  /** What is held in memory after all were asked for is not needed any more. */
  forget(): void {
    this.#agents = new Map();
  }

  /** `unsaved`: heads that were read and are not in the file. */
  isDue(unsaved: number, total: number): boolean {
    return unsaved > Math.min(UNSAVED, total / 2);
  }

  /** Throws when it cannot be written. */
  save(agents: Iterable<readonly [agent: string, heads: KeptHeads]>): void {
    const rows = [...agents].map(([agent, heads]) => [
      agent,
      [...heads].map(([sessionId, { signature, head }]) => [sessionId, signature, head]),
    ]);
    writeFileAtomic(this.#path, JSON.stringify({ build: this.#build, agents: Object.fromEntries(rows) }));
  }

  #load(): Map<string, KeptHeads> {
    try {
      const kept = Kept.parse(JSON.parse(readFileSync(this.#path, "utf8")));
      if (kept.build !== this.#build) return new Map();
      return new Map(
        Object.entries(kept.agents).map(([agent, rows]) => [
          agent,
          new Map(rows.map(([sessionId, signature, head]) => [sessionId, { signature, head }])),
        ]),
      );
    } catch {
      // Not there yet, or damaged: everything is read.
      return new Map();
    }
  }
}
