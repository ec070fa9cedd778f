/**
 * Heads of conversations, cached on disk, so that a restarted daemon reads only changed files. Without it everything works, only
 * slower.
 */
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { asArray, asNumber, asObject, asString } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

/** Null: the files contain no conversation. */
export type CachedHead = {
  title: string;
  cwd?: string;
  createdMs: number;
  updatedMs: number;
  hidden: boolean;
  archived?: boolean;
} | null;

export type CachedHeads = ReadonlyMap<string, { signature: string; head: CachedHead }>;

/** This many heads may have to be read again: frequent writes wear out disks. */
const UNSAVED = 50;

export class CachedHeadsFile {
  readonly #path: string;
  readonly #build: string;
  #agents: Map<string, CachedHeads> | undefined;

  /** `build` identifies the program: another build may parse files differently. */
  constructor(path: string, build: string) {
    this.#path = path;
    this.#build = build;
  }

  of(agent: string): CachedHeads {
    this.#agents ??= this.#load();
    return this.#agents.get(agent) ?? new Map();
  }

  /** The loaded data is not needed after all agents have used it. */
  forget(): void {
    this.#agents = new Map();
  }

  /** `unsaved`: heads that are not in the file. */
  isDue(unsaved: number, total: number): boolean {
    return unsaved > Math.min(UNSAVED, total / 2);
  }

  /** Throws if it cannot be written. */
  save(agents: Iterable<readonly [agent: string, heads: CachedHeads]>): void {
    const rows = [...agents].map(([agent, heads]) => [
      agent,
      [...heads].map(([sessionId, { signature, head }]) => [sessionId, signature, head]),
    ]);
    writeFileAtomic(this.#path, JSON.stringify({ build: this.#build, agents: Object.fromEntries(rows) }));
  }

  #load(): Map<string, CachedHeads> {
    try {
      const kept = asObject(JSON.parse(readText(this.#path)));
      if (kept?.["build"] !== this.#build) return new Map();
      return new Map(Object.entries(asObject(kept["agents"]) ?? {}).map(([agent, rows]) => [agent, headsIn(rows)]));
    } catch {
      // Missing or damaged: everything is read.
      return new Map();
    }
  }
}

/** A session's id, its files' state and its head. Checked by hand, since thousands are read at startup. */
function headsIn(rows: unknown): CachedHeads {
  const heads = new Map<string, { signature: string; head: CachedHead }>();
  for (const row of asArray(rows) ?? []) {
    const [id, signature, value] = asArray(row) ?? [];
    const head = value === null ? null : headFrom(asObject(value));
    if (typeof id !== "string" || typeof signature !== "string" || head === undefined) continue;
    heads.set(id, { signature, head });
  }
  return heads;
}

function headFrom(value: Record<string, unknown> | undefined): CachedHead | undefined {
  const title = asString(value?.["title"]);
  const createdMs = asNumber(value?.["createdMs"]);
  const updatedMs = asNumber(value?.["updatedMs"]);
  const { hidden, archived } = value ?? {};
  if (title === undefined || createdMs === undefined || updatedMs === undefined) return undefined;
  if (typeof hidden !== "boolean") return undefined;
  const head = { title, ...optional("cwd", asString(value?.["cwd"])), createdMs, updatedMs, hidden };
  return archived === true ? { ...head, archived } : head;
}
