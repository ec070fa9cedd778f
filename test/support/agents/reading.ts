/** One session of a home, as a caller of the adapter reads it. */
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../../../src/agents/adapter.ts";
import { ReadNotes } from "../../../src/agents/read-notes.ts";

export interface OpenedSession {
  source: SessionSource;
  head: SessionHead | undefined;
  read(): SessionReader | undefined;
  /** What listing, heads and reading could not use. */
  notes: ReadNotes;
}

export function openSession(history: History, env: AgentEnv, sessionId: string): OpenedSession {
  const notes = new ReadNotes();
  const source = history.listSessions(env, notes).find((candidate) => candidate.sessionId === sessionId);
  if (source === undefined) throw new Error(`${sessionId} is not listed in ${env.home}`);
  const head = history.summarize(source, env, notes);
  return { source, head, read: () => history.read(source, env, notes), notes };
}

export interface ReadSession {
  head: SessionHead;
  reader: SessionReader;
  notes: ReadNotes;
}

/** The same for a session that must be readable. */
export function readSession(history: History, env: AgentEnv, sessionId: string): ReadSession {
  const { head, read, notes } = openSession(history, env, sessionId);
  const reader = read();
  if (head === undefined || reader === undefined) throw new Error(`${sessionId} holds no conversation`);
  return { head, reader, notes };
}

/** Ids in the order of the listing. */
export function listedIds(history: History, env: AgentEnv, notes = new ReadNotes(), cwd?: string): string[] {
  return history.listSessions(env, notes, cwd).map((source) => source.sessionId);
}

/** The only session of a home. */
export function readSoleSession(history: History, env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const [source] = history.listSessions(env, notes);
  return source && history.read(source, env, notes);
}

/** The heads of all listed sources; undefined where one holds no session. */
export function listedHeads(history: History, env: AgentEnv, notes: ReadNotes): (SessionHead | undefined)[] {
  return history.listSessions(env, notes).map((source) => history.summarize(source, env, notes));
}

/** Everything a reader returns, to compare a damaged copy with its original. */
export function toldBy(reader: SessionReader | undefined): unknown {
  return reader && { head: reader.head, messages: [...reader.messages()], usage: [...reader.usage()] };
}
