/** Finds the sessions of a store, each once, newest layout first. */
import { basename, join } from "node:path";
import { entriesOf, filesIn, fileStat, type FileStat } from "../../lib/fs/directory.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { fileSource, filesOfDatabase, firstOfEach, lastChange } from "../shared/source-list.ts";
import { SESSION_ID } from "./format.ts";
import type { StoredRequest, StoredSession } from "./format-store.ts";
import { documentedDir, historyStateDir, sessionStateDir, storePath } from "./locations.ts";
import { openStore } from "./store.ts";

export interface CopilotLocator {
  layout: "events" | "document" | "stored";
  /** `workspace.yaml`, if it exists. */
  workspace?: string;
}

export function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const store = openStore(storePath(env));
  if (store.failure !== undefined) notes.skip(storePath(env), store.failure);
  const document = { layout: "document" } satisfies CopilotLocator;
  const documented = filesIn(documentedDir(env), (name) => name.endsWith(".json"), notes.onProblem);
  return firstOfEach([
    ...[...eventSources(sessionStateDir(env), notes)].map((source) => {
      return { ...source, ...optional("elsewhere", requestsStamp(store.requests.get(source.sessionId))) };
    }),
    ...historyFiles(historyStateDir(env), notes).map(({ id, stat }) => fileSource(id, stat, document)),
    ...documented.map((stat) => fileSource(basename(stat.path, ".json"), stat, document)),
    ...storedSources(storePath(env), [...store.sessions.values()]),
  ]);
}

function* eventSources(directory: string, notes: ReadNotes): Generator<SessionSource> {
  const flat: SessionSource[] = [];
  for (const { name } of entriesOf(directory, notes.onProblem)) {
    const path = join(directory, name);
    // Lock folders and similar are stored beside the sessions.
    if (SESSION_ID.test(name)) {
      // A session that was opened but never prompted has no events.
      const events = fileStat(join(path, "events.jsonl"), notes.onProblem);
      const workspace = events && fileStat(join(path, "workspace.yaml"));
      if (events) yield eventSource(name, [events, ...(workspace ? [workspace] : [])], workspace?.path);
    } else if (name.endsWith(".jsonl") && SESSION_ID.test(basename(name, ".jsonl"))) {
      const events = fileStat(path, notes.onProblem);
      if (events) flat.push(eventSource(basename(name, ".jsonl"), [events], undefined));
    }
  }
  yield* flat;
}

/** Excludes the store: every write of any session would make all of them look changed. */
function eventSource(sessionId: string, files: FileStat[], workspace: string | undefined): SessionSource {
  const locator: CopilotLocator = { layout: "events", ...optional("workspace", workspace) };
  return { sessionId, path: files[0]!.path, files, updatedMs: files[0]!.mtimeMs, locator };
}

const HISTORY_NAME = /^session_(.+)_(\d+)\.json$/;

/** Latest first. */
function historyFiles(directory: string, notes: ReadNotes): { id: string; stat: FileStat }[] {
  return filesIn(directory, (name) => HISTORY_NAME.test(name), notes.onProblem)
    .map((stat) => {
      const [, id, begun] = HISTORY_NAME.exec(basename(stat.path))!;
      return { id: id!, stat, begun: Number(begun) };
    })
    .sort((a, b) => b.begun - a.begun);
}

/** A fingerprint of a session's requests in the store, where rows are added and removed. */
function requestsStamp(requests: readonly StoredRequest[] | undefined): string | undefined {
  return requests && `${requests.length} ${JSON.stringify(requests.at(-1))}`;
}

function storedSources(path: string, sessions: readonly StoredSession[]): SessionSource[] {
  const stat = fileStat(path);
  if (stat === undefined) return [];
  const files = filesOfDatabase(stat);
  const locator: CopilotLocator = { layout: "stored" };
  return sessions.map(({ id, updatedMs, createdMs }) => {
    return { sessionId: id, path, files, updatedMs: updatedMs ?? createdMs ?? lastChange(files), locator };
  });
}
