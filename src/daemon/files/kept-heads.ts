/**
 * What was read of conversations, kept on disk, so that a daemon that starts again opens only the files that changed
 * meanwhile. A cache: without it, or with a damaged one, everything is the same, only later.
 */
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { asArray, asNumber, asObject, asString } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

/** Null: there is no conversation in the files. */
export type KeptHead = {
  title: string;
  cwd?: string;
  createdMs: number;
  updatedMs: number;
  hidden: boolean;
} | null;

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
      const kept = asObject(JSON.parse(readText(this.#path)));
      if (kept?.["build"] !== this.#build) return new Map();
      return new Map(Object.entries(asObject(kept["agents"]) ?? {}).map(([agent, rows]) => [agent, headsIn(rows)]));
    } catch {
      // Not there yet, or damaged: everything is read.
      return new Map();
    }
  }
}

/** A session's id, how its files stood, and what was in them. Thousands are read at a start, so they are checked by hand. */
function headsIn(rows: unknown): KeptHeads {
  const heads = new Map<string, { signature: string; head: KeptHead }>();
  for (const row of asArray(rows) ?? []) {
    const [id, signature, value] = asArray(row) ?? [];
    const head = value === null ? null : headFrom(asObject(value));
    if (typeof id !== "string" || typeof signature !== "string" || head === undefined) continue;
    heads.set(id, { signature, head });
  }
  return heads;
}

function headFrom(value: Record<string, unknown> | undefined): KeptHead | undefined {
  const title = asString(value?.["title"]);
  const createdMs = asNumber(value?.["createdMs"]);
  const updatedMs = asNumber(value?.["updatedMs"]);
  const hidden = value?.["hidden"];
  if (title === undefined || createdMs === undefined || updatedMs === undefined) return undefined;
  if (typeof hidden !== "boolean") return undefined;
  return { title, ...optional("cwd", asString(value?.["cwd"])), createdMs, updatedMs, hidden };
}
