/**
 * Finds the files of threads, from their names only: one rollout, or several after a rewind. Paths are never built from file
 * contents.
 */
import { fileStat, filesBelow, type FileStat } from "../../lib/fs/directory.ts";
import { lastPart } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { archiveDirectory, codexHome, sessionsDirectory } from "./locations.ts";

export interface RolloutFile {
  path: string;
  threadId: string;
  /** The last id in the name: the segment's, or the thread's for its first file. Other files refer to it. */
  rolloutId: string;
  /** One JSON document (the 2025 TypeScript version) instead of lines. */
  document: boolean;
  compressed: boolean;
  archived: boolean;
}

export interface StoredRollout {
  file: RolloutFile;
  stat: FileStat;
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const ROLLOUT_NAME = new RegExp(`^rollout-.+?-(${UUID})(?:_(${UUID}))?\\.jsonl?(?:\\.zst)?$`, "i");
/** The documented place: the id is the file's stem. */
const PLAIN_NAME = /^(.+?)\.jsonl(?:\.zst)?$/;

const UUID_LENGTH = 36;
const WHOLE_UUID = new RegExp(`^${UUID}$`, "i");

/** The id of a thread in the name of its first file, as nearly all are. */
function ordinaryId(name: string): string | undefined {
  const start = name.length - UUID_LENGTH - ".jsonl".length;
  if (start < "rollout-x-".length || name[start - 1] !== "-") return undefined;
  if (!name.startsWith("rollout-") || !name.endsWith(".jsonl")) return undefined;
  const id = name.slice(start, start + UUID_LENGTH);
  return WHOLE_UUID.test(id) ? id : undefined;
}

type ParsedName = Pick<RolloutFile, "threadId" | "rolloutId">;

function parseName(name: string): ParsedName | undefined {
  const id = ordinaryId(name);
  if (id !== undefined) return { threadId: id, rolloutId: id };
  const rollout = ROLLOUT_NAME.exec(name);
  if (rollout) return { threadId: rollout[1]!, rolloutId: rollout[2] ?? rollout[1]! };
  const plain = PLAIN_NAME.exec(name);
  return plain ? { threadId: plain[1]!, rolloutId: plain[1]! } : undefined;
}

/** Every rollout in the store, once: the active, unpacked copy is preferred. */
export function storedRollouts(env: AgentEnv, notes?: ReadNotes): StoredRollout[] {
  const best = new Map<string, StoredRollout>();
  for (const archived of [false, true]) {
    const directory = archived ? archiveDirectory(env) : sessionsDirectory(env);
    const parsed = new Map<string, ParsedName>();
    const isRollout = (name: string): boolean => {
      const ids = parseName(name);
      if (ids) parsed.set(name, ids);
      return ids !== undefined;
    };
    for (const stat of filesBelow(directory, isRollout, (path, reason) => notes?.skip(path, reason))) {
      const name = lastPart(stat.path);
      const rollout = { file: rolloutFile(stat.path, name, parsed.get(name)!, archived), stat };
      const known = best.get(rollout.file.rolloutId);
      if (known === undefined || rank(rollout.file) < rank(known.file)) best.set(rollout.file.rolloutId, rollout);
    }
  }
  lastListed = { env, home: codexHome(env), atMs: performance.now(), byId: best };
  return [...best.values()];
}

/** A single lookup walks hundreds of directories, so all forks are looked up at once. */
let lastListed: { env: AgentEnv; home: string; atMs: number; byId: ReadonlyMap<string, StoredRollout> } | undefined;

/** So long a file that was not there is still missing: parents of forks get deleted, and each fork asks for its own. */
const MISSING_MS = 1000;

/** The rollout with this id, in either directory. */
export function findRollout(env: AgentEnv, rolloutId: string): RolloutFile | undefined {
  const isSame = lastListed?.env === env || lastListed?.home === codexHome(env);
  const listed = isSame ? lastListed?.byId.get(rolloutId)?.file : undefined;
  if (listed && fileStat(listed.path)) return listed;
  if (isSame && !listed && performance.now() - lastListed!.atMs < MISSING_MS) return undefined;
  return storedRollouts(env).find(({ file }) => file.rolloutId === rolloutId)?.file;
}

function rolloutFile(path: string, name: string, { threadId, rolloutId }: ParsedName, archived: boolean): RolloutFile {
  return { path, threadId, rolloutId, archived, document: name.endsWith(".json"), compressed: name.endsWith(".zst") };
}

/** Lower is better. Archiving and packing move a file, so a second copy is a leftover. */
function rank(file: RolloutFile): number {
  const documentedPlace = lastPart(file.path).startsWith("rollout-") ? 0 : 4;
  return documentedPlace + (file.archived ? 2 : 0) + (file.compressed ? 1 : 0);
}

/** The files of one thread in the order they were begun: names start with the time, segments follow the first file. */
export function inOrder(rollouts: readonly StoredRollout[]): readonly StoredRollout[] {
  if (rollouts.length === 1) return rollouts;
  return [...rollouts].sort((a, b) => (lastPart(a.file.path) < lastPart(b.file.path) ? -1 : 1));
}
