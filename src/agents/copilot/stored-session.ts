/** A session that only the store has: its prompts and final answers. */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage } from "../../core/session.ts";
import { withDatabase } from "../../lib/sqlite/sqlite.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead } from "../adapter.ts";
import type { ParsedSession } from "../in-memory.ts";
import { sessionTitle } from "../session-title.ts";
import { Ledger } from "./ledger.ts";
import { type StoredSession, type StoredTurn, turnsIn } from "./format-store.ts";
import { openStore } from "./store.ts";

/** Undefined if the store has no turn of it. */
export function readStored(storePath: string, sessionId: string): ParsedSession | undefined {
  const turns = turnsOf(storePath, sessionId);
  const messages = turns.flatMap(messagesOf);
  if (messages.length === 0) return undefined;
  const opened = openStore(storePath);
  const store = opened && "failure" in opened ? undefined : opened;
  const requests = store?.requests.get(sessionId) ?? [];
  const { usage } = new Ledger().settle(sessionId, requests);
  const head = headOf(store?.sessions.get(sessionId), turns);
  const model = usage.findLast((record) => record.model !== undefined)?.model;
  if (model !== undefined) head.model = model;
  if (usage.length === 0) head.usageUnknown = true;
  return { head, messages, usage, raw: { session: store?.sessions.get(sessionId), turns, requests } };
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
