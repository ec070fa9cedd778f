/** Finds a session by id, prefix, slug or name. */
import { AgentMuxError } from "../../core/errors.ts";
import { conversationOf } from "../../client/conversation.ts";
import { knownSessions, type KnownSession } from "../../client/session-list.ts";
import { localTime } from "../../lib/text/local-time.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { endOf } from "../../protocol/session-end.ts";
import type { ArgumentSpec } from "../command.ts";
import { sessionDirectories } from "./session-directories.ts";
import { isTmuxSession } from "./tmux-sessions.ts";

export const SESSION_ARGUMENT: ArgumentSpec = {
  name: "session",
  description: "id, slug, name or <agent>:<id> of the session, or a unique prefix",
  completes: "sessions",
};

/** Of commands that take an ended session too. */
export const ANY_SESSION_ARGUMENT: ArgumentSpec = { ...SESSION_ARGUMENT, completes: "all-sessions" };

export const SESSION_ARGUMENTS: ArgumentSpec = { ...SESSION_ARGUMENT, several: true };

const MAX_SHOWN = 5;

export function chooseSession(ref: string): KnownSession {
  return choose(knownSessions(sessionDirectories()), ref);
}

/** Undefined if it is not one of amux's own. */
export function findSession(ref: string): KnownSession | undefined {
  try {
    return chooseSession(ref);
  } catch (error) {
    if (error instanceof AgentMuxError && error.code === "SESSION_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Each once, and only after all were found. */
export function chooseSessions(refs: readonly string[]): KnownSession[] {
  const sessions = knownSessions(sessionDirectories());
  return [...new Set(refs.map((ref) => choose(sessions, ref)))];
}

export function endedSessions(): KnownSession[] {
  return knownSessions(sessionDirectories()).filter(({ alive }) => !alive);
}

/** A running session. */
export function chooseRunning(ref: string): KnownSession {
  const sessions = knownSessions(sessionDirectories());
  const session = choose(sessions, ref);
  if (session.alive) return session;
  // A numbered session of that name may be meant, but nothing is typed into it without confirmation.
  const others = sessions.flatMap(({ meta, alive }) => (alive && isNumbered(meta.slug, ref) ? [meta.slug] : []));
  const hint =
    others.length === 0 ? "" : ` (${others.slice(0, MAX_SHOWN).join(", ")} ${others.length > 1 ? "are" : "is"})`;
  throw new AgentMuxError("SESSION_NOT_FOUND", `Session ${session.meta.id} is not running${hint}. See amux resume.`);
}

/** An ended session, if several share the name. */
export function chooseEnded(ref: string): KnownSession {
  const sessions = knownSessions(sessionDirectories());
  return choose(sessions, ref, ({ alive }) => !alive);
}

/** Whether it is the full name of an ended session, and of no running one. */
export function hasEnded(ref: string): boolean {
  const named = knownSessions(sessionDirectories()).filter((session) => namesOf(session).includes(ref));
  return named.length > 0 && named.every(({ alive }) => !alive);
}

/** The last started session, if none is named. */
export function chooseNewest(): KnownSession {
  const newest = knownSessions(sessionDirectories()).find(({ alive }) => alive);
  if (newest !== undefined) return newest;
  throw new AgentMuxError("SESSION_NOT_FOUND", "No session is running. Start one with amux run.");
}

/** Sessions of the same name differ in how and when they went. */
function said({ meta, alive }: KnownSession): string {
  return `${meta.id} (${meta.title}, ${alive ? "running" : endOf(meta)}, started ${localTime(new Date(meta.created_at), new Date())})`;
}

export function choose(
  sessions: readonly KnownSession[],
  ref: string,
  // Slugs and names are reused; running sessions come first.
  preferred: (session: KnownSession) => boolean = ({ alive }) => alive,
): KnownSession {
  // An empty prefix matches everything: an unset variable would select the only session.
  if (ref.trim() === "") throw new AgentMuxError("VALIDATION_ERROR", "The session name is empty. See amux ls.");
  const exact = sessions.filter((session) => namesOf(session).includes(ref));
  const found =
    exact.length > 0 ? exact : sessions.filter((session) => namesOf(session).some((name) => name.startsWith(ref)));
  const first = found.filter(preferred);
  const [only, ...others] = first.length > 0 ? first : found;
  if (only === undefined) {
    if (isTmuxSession(ref))
      throw new AgentMuxError("SESSION_NOT_FOUND", `${ref} is a tmux session: use amux attach, or tmux itself.`);
    const close = nearest(ref, sessions.flatMap(namesOf));
    const hint = close === undefined ? "" : ` (did you mean ${close}?)`;
    throw new AgentMuxError("SESSION_NOT_FOUND", `No session is called "${ref}"${hint}. See amux ls.`);
  }
  if (others.length === 0) return only;
  const shown = [only, ...others].slice(0, MAX_SHOWN).map(said);
  throw new AgentMuxError(
    "VALIDATION_ERROR",
    `"${ref}" is ambiguous: ${shown.join(", ")}${others.length >= MAX_SHOWN ? ", …" : ""}.`,
  );
}

/** `bash-2` for `bash`. */
function isNumbered(slug: string | undefined, ref: string): slug is string {
  return slug?.startsWith(`${ref}-`) === true && /^\d+$/.test(slug.slice(ref.length + 1));
}

function namesOf({ meta }: KnownSession): string[] {
  const { id, slug, name } = meta;
  return [id, id.replace(/^sess-/, ""), slug ?? "", name ?? "", conversationOf(meta) ?? ""].filter(
    (text) => text !== "",
  );
}
