/** Goose's sessions: all are in one database. */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage } from "../../core/session.ts";
import { filesIn } from "../../lib/fs/directory.ts";
import { withDatabase, type ReadOnlyDatabase, type Row } from "../../lib/sqlite/sqlite.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, History, SessionHead, SessionSource, UsageRecord } from "../adapter.ts";
import { readerOf, type ParsedSession } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { answerMessage, CallIndex, toolMessage, withTimestamp } from "../shared/message-fields.ts";
import { databaseSources, oldestIsOriginal, type ListedSession } from "../shared/source-list.ts";
import { hasSessions, messageOf, messageRows, rawMessage, rawSession, sessionOf, sessionRows } from "./format.ts";
import { DATABASE, databasePath, sessionsDir } from "./locations.ts";

export const history = {
  roots: (env) => [databasePath(env)],
  sessionDir: (env) => sessionsDir(env),
  listSessions,
  summarize: (source) => source.locator as SessionHead,
  read: (source, _env, notes) => {
    const parsed = read(source, notes);
    return parsed && readerOf(parsed);
  },
  // `--fork` copies a session with the ids of its messages, and leaves no pointer.
  lineage: oldestIsOriginal,
} satisfies History;

function listSessions(env: AgentEnv, notes: ReadNotes): SessionSource[] {
  const list = (database: ReadOnlyDatabase): ListedSession[] => sessionsIn(database, notes);
  return filesIn(sessionsDir(env), (name) => name === DATABASE, notes.onProblem)
    .filter(({ size }) => size > 0)
    .flatMap((file) => databaseSources(file, notes, list, ({ head }) => head));
}

function sessionsIn(database: ReadOnlyDatabase, notes: ReadNotes): ListedSession[] {
  if (!hasSessions(database)) {
    notes.skip(database.path, "has no tables of sessions and messages");
    return [];
  }
  return sessionRows(database).flatMap((row) => {
    const { id } = sessionOf(row);
    return id === undefined ? [] : [{ id, head: headOf(row) }];
  });
}

function headOf(row: Row): SessionHead {
  const { name, prompt, cwd, createdMs, updatedMs, model, firstMessage, tokens } = sessionOf(row);
  return {
    title: sessionTitle(name, prompt),
    ...optional("createdMs", createdMs),
    ...optional("startedMs", createdMs),
    ...optional("updatedMs", updatedMs),
    ...optional("model", model),
    ...optional("cwd", cwd),
    ...(firstMessage === undefined ? {} : { familyKeys: [firstMessage] }),
    ...(tokens === undefined ? { usageUnknown: true } : {}),
  };
}

function read({ path, sessionId }: SessionSource, notes: ReadNotes): ParsedSession | undefined {
  try {
    return withDatabase(path, (database) => {
      const row = sessionRows(database, sessionId)[0];
      if (row === undefined) return undefined;
      const rows = messageRows(database, sessionId);
      return {
        head: headOf(row),
        messages: messagesOf(rows, path, notes),
        usage: usageOf(row, sessionId),
        raw: { session: rawSession(database, sessionId), messages: rows.map(rawMessage) },
      };
    });
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${path} cannot be read: ${errorText(error)}.`, { cause: error });
  }
}

function messagesOf(rows: readonly Row[], path: string, notes: ReadNotes): SessionMessage[] {
  const calls = new CallIndex();
  const messages: SessionMessage[] = [];
  for (const row of rows) {
    const message = messageOf(row);
    if (message.parts.length === 0) notes.damage(path);
    for (const type of message.unknown) notes.unknown(`part ${type}`);
    for (const one of told(message, calls, notes)) messages.push(one);
  }
  return messages;
}

function* told(message: ReturnType<typeof messageOf>, index: CallIndex, notes: ReadNotes): Generator<SessionMessage> {
  const { role, at, text, thinking, images, isForModel, calls, results } = message;
  const time = withTimestamp(at);
  for (const { id, output, hasFailed } of results) {
    const toolName = index.answer(id, output, hasFailed, at)?.toolName ?? "";
    yield toolMessage({ toolCallId: id, toolName, output, isError: hasFailed }, time);
  }
  if (role !== "user" && role !== "assistant") return notes.unknown(`role ${role ?? ""}`);
  const isSaid = text !== "" || thinking !== "" || calls.length > 0;
  if (!isSaid) return;
  if (isForModel) yield { role: "system", content: text, ...time };
  else if (role === "user") yield { role, content: text, ...images, ...time };
  else {
    const toolCalls = calls.map(({ id, name, input }) => ({ toolCallId: id, toolName: name, input }));
    index.add(toolCalls, at);
    yield answerMessage({ content: text, toolCalls, thinking: thinking || undefined }, { ...images, ...time });
  }
}

function usageOf(row: Row, sessionId: string): UsageRecord[] {
  const { tokens, model, updatedMs } = sessionOf(row);
  if (tokens === undefined) return [];
  return [{ key: sessionId, tokens, ...optional("model", model), ...optional("at", updatedMs) }];
}
