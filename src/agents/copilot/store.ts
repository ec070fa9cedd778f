/**
 * `session-store.db` has requests that a rewind removed from the events, and sessions whose folder is gone. Most rows
 * are in the -wal file, which must be copied to be read, so the result is cached until the files change.
 */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage } from "../../core/session.ts";
import { fileStat } from "../../lib/fs/directory.ts";
import { withDatabase } from "../../lib/sqlite/sqlite.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead } from "../adapter.ts";
import type { ParsedSession } from "../in-memory.ts";
import { sessionTitle } from "../session-title.ts";
import {
  requestsIn,
  sessionsIn,
  type StoredRequest,
  type StoredSession,
  type StoredTurn,
  turnsIn,
} from "./format-store.ts";
import { Ledger } from "./ledger.ts";

interface Store {
  sessions: Map<string, StoredSession>;
  requests: Map<string, StoredRequest[]>;
  /** Why it cannot be read; both maps are empty then, as without a store. */
  failure?: string;
}

let latest: { stamp: string; store: Store } | undefined;

export function openStore(path: string): Store {
  const stamp = [path, `${path}-wal`].map(stampOf).join("\n");
  if (latest?.stamp !== stamp) latest = { stamp, store: readStore(path) };
  return latest.store;
}

function stampOf(path: string): string {
  const stat = fileStat(path);
  return `${path}:${stat?.size}:${stat?.mtimeMs}`;
}

function readStore(path: string): Store {
  const store: Store = { sessions: new Map(), requests: new Map() };
  const stat = fileStat(path, (_, reason) => (store.failure = reason));
  if (stat === undefined) return store;
  try {
    return withDatabase(path, (database) => ({ sessions: sessionsIn(database), requests: requestsIn(database) }));
  } catch (error) {
    return { ...store, failure: `cannot be read as a database (${errorText(error)})` };
  }
}

/** A session that only the store has: its prompts and final answers. Undefined if the store has no turn of it. */
export function readStored(storePath: string, sessionId: string): ParsedSession | undefined {
  const turns = turnsOf(storePath, sessionId);
  const messages = turns.flatMap(messagesOf);
  if (messages.length === 0) return undefined;
  const store = openStore(storePath);
  const session = store.sessions.get(sessionId);
  const requests = store.requests.get(sessionId) ?? [];
  const { usage } = new Ledger().settle(sessionId, requests);
  const head = headOf(session, turns);
  const model = usage.findLast((record) => record.model !== undefined)?.model;
  if (model !== undefined) head.model = model;
  if (usage.length === 0) head.usageUnknown = true;
  return { head, messages, usage, raw: { session, turns, requests } };
}

function turnsOf(storePath: string, sessionId: string): StoredTurn[] {
  try {
    return withDatabase(storePath, (database) => turnsIn(database, sessionId));
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${storePath} cannot be read as a database.`, { cause: error });
  }
}

function messagesOf({ prompt, answer, at }: StoredTurn): SessionMessage[] {
  const messages: SessionMessage[] = [];
  if (prompt !== undefined) messages.push({ role: "user", content: prompt });
  if (answer !== undefined) messages.push({ role: "assistant", content: answer });
  // A turn has the time of its end.
  const last = messages.at(-1);
  if (last && at !== undefined) last.timestamp = new Date(at);
  return messages;
}

function headOf(session: StoredSession | undefined, turns: readonly StoredTurn[]): SessionHead {
  const prompt = turns.find((turn) => turn.prompt !== undefined)?.prompt;
  return {
    title: sessionTitle(session?.summary, prompt),
    ...optional("createdMs", session?.createdMs ?? turns[0]?.at),
    ...optional("updatedMs", turns.at(-1)?.at ?? session?.updatedMs),
    ...optional("cwd", session?.cwd),
    ...optional("branch", session?.branch),
  };
}
