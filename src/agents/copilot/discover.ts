/** Finds the sessions of a store, each once, newest layout first. */
import { basename, join } from "node:path";
import { entriesOf, fileStat, type FileStat } from "../../lib/fs/directory.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { filesOfDatabase, firstOfEach, lastChange } from "../shared/source-list.ts";
import { SESSION_ID } from "./format.ts";
import type { StoredRequest, StoredSession } from "./format-store.ts";
import { documentedDir, historyStateDir, sessionStateDir, storePath } from "./locations.ts";
import { openStore, type OpenedStore } from "./store.ts";

export interface CopilotLocator {
  layout: "events" | "document" | "stored";
  /** `workspace.yaml`, if it exists. */
  workspace?: string;
}

export function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const store = openStore(storePath(env));
  const inStore = (id: string): string | undefined =>
    store === undefined || "failure" in store ? undefined : requestsStamp(store.requests.get(id));
  return firstOfEach([
    ...[...eventSources(sessionStateDir(env), notes)].map((source) => {
      return { ...source, ...optional("elsewhere", inStore(source.sessionId)) };
    }),
    ...historySources(historyStateDir(env), notes),
    ...documentedSources(documentedDir(env), notes),
    ...storedSources(storePath(env), store, notes),
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

function historySources(directory: string, notes: ReadNotes): SessionSource[] {
  const found: { source: SessionSource; begun: number }[] = [];
  for (const { name } of entriesOf(directory, notes.onProblem)) {
    const parts = HISTORY_NAME.exec(name);
    const stat = parts && fileStat(join(directory, name), notes.onProblem);
    if (parts && stat) found.push({ source: documentSource(parts[1]!, stat), begun: Number(parts[2]) });
  }
  return found.sort((a, b) => b.begun - a.begun).map(({ source }) => source);
}

function* documentedSources(directory: string, notes: ReadNotes): Generator<SessionSource> {
  for (const { name } of entriesOf(directory, notes.onProblem)) {
    const stat = name.endsWith(".json") ? fileStat(join(directory, name), notes.onProblem) : undefined;
    if (stat) yield documentSource(basename(name, ".json"), stat);
  }
}

function documentSource(sessionId: string, stat: FileStat): SessionSource {
  const locator: CopilotLocator = { layout: "document" };
  return { sessionId, path: stat.path, files: [stat], updatedMs: stat.mtimeMs, locator };
}

/** A fingerprint of a session's requests in the store, where rows are added and removed. */
function requestsStamp(requests: readonly StoredRequest[] | undefined): string | undefined {
  return requests && `${requests.length} ${JSON.stringify(requests.at(-1))}`;
}

function storedSources(path: string, opened: OpenedStore, notes: ReadNotes): SessionSource[] {
  if (opened === undefined) return [];
  if ("failure" in opened) {
    notes.skip(path, opened.failure);
    return [];
  }
  const stat = fileStat(path);
  if (stat === undefined) return [];
  const files = filesOfDatabase(stat);
  return [...opened.sessions.values()].map((session) => storedSource(path, files, session));
}

function storedSource(path: string, files: FileStat[], session: StoredSession): SessionSource {
  const updatedMs = session.updatedMs ?? session.createdMs ?? lastChange(files);
  const locator: CopilotLocator = { layout: "stored" };
  return { sessionId: session.id, path, files, updatedMs, locator };
}
