/** Finds omp's sessions: current ones, those in custom folders, and archived ones. */
import { isAbsolute, join } from "node:path";
import { entriesOf, fileStat, type OnProblem } from "../../lib/fs/directory.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { firstOfEach } from "../shared/source-list.ts";
import { authorOf, sourceOfFile, type StoreLayout, treeSources } from "../shared/tree-store.ts";
import { archiveIn, isBucket, sessionsIn, stores, type Store } from "./locations.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export const ARCHIVE_SUFFIX = ".jsonl.gz";

/** Each file of the registry holds one path. */
const MAX_PATH_BYTES = 4096;

export function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const { onProblem } = notes;
  const all = stores(env, onProblem);
  return firstOfEach([
    ...all.flatMap((store) => liveSessions(store, onProblem)),
    ...all.flatMap(({ state }) => [...registeredSessions(join(state, "custom-session-files"), onProblem)]),
    ...all.flatMap((store) => [...treeSources(archiveIn(store), layout(ARCHIVE_SUFFIX, onProblem))]),
  ]);
}

function liveSessions(store: Store, onProblem: OnProblem): SessionSource[] {
  const sources = [...treeSources(sessionsIn(store), layout(".jsonl", onProblem))];
  return store.sharedWithPi ? sources.filter(({ path }) => authorOf(path) === "omp") : sources;
}

function layout(suffix: string, onProblem: OnProblem): StoreLayout {
  return { isBucket, suffix, hasArtifacts: true, onProblem };
}

/** `--session-dir` stores files anywhere; omp keeps one marker per file. */
function* registeredSessions(registry: string, onProblem: OnProblem): Generator<SessionSource> {
  for (const entry of entriesOf(registry, onProblem)) {
    const path = pathIn(join(registry, entry.name), onProblem);
    if (path === undefined || !isAbsolute(path) || !path.endsWith(".jsonl")) continue;
    const stat = fileStat(path, onProblem);
    if (stat) yield sourceOfFile(stat, ".jsonl", path.slice(0, -".jsonl".length), onProblem);
  }
}

function pathIn(marker: string, onProblem: OnProblem): string | undefined {
  const stat = fileStat(marker, onProblem);
  if (stat === undefined || stat.size > MAX_PATH_BYTES) return undefined;
  try {
    return readText(marker).trim();
  } catch {
    onProblem(marker, "cannot be read");
    return undefined;
  }
}
