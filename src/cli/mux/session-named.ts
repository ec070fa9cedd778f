/** Finds a session by reference: one of amux's, running or ended, otherwise from a status file. */
import { AgentMuxError } from "../../core/errors.ts";
import { viewOfSession } from "../../status/runner-view.ts";
import type { SessionView } from "../../status/session-view.ts";
import { chooseSession as chooseView } from "../choose-session.ts";
import { liveSessions } from "../live-sessions.ts";
import { remoteView } from "../peers/remote-account.ts";
import { remoteRows, viewOfRow } from "../peers/remote-rows.ts";
import { chooseRunning, findSession, hasEnded } from "./choose.ts";
import { chooseRemote, isRemoteRef } from "./remote.ts";

export async function sessionNamed(ref: string): Promise<SessionView> {
  if (isRemoteRef(ref)) return remoteNamed(ref);
  const own = findSession(ref);
  if (own?.alive === false) return viewOfSession(own, Date.now());
  return chooseView(await liveSessions(), own?.meta.id ?? ref);
}

/**
 * A running session. The exact name of an ended session is not taken for another's prefix: a message must not reach the wrong
 * one.
 */
export async function liveSessionNamed(ref: string, now = Date.now()): Promise<SessionView> {
  const sessions = await liveSessions(now);
  const isExact = sessions.some(({ ref: id, name, slug }) => [id, name, slug].includes(ref));
  if (!isExact && hasEnded(ref)) chooseRunning(ref);
  return chooseView(sessions, ref);
}

/** If its machine is unreachable or older, the last known state is shown. */
async function remoteNamed(ref: string): Promise<SessionView> {
  const { id } = await chooseRemote(ref);
  const row = (await remoteRows()).rows.find((each) => each.id === id);
  if (row === undefined) throw new AgentMuxError("SESSION_NOT_FOUND", `No session is called "${ref}". See amux ls.`);
  if (row.state === "unreachable" || !row.alive) return viewOfRow(row);
  try {
    return await remoteView(id, row.peer, Date.now());
  } catch (error) {
    if (error instanceof AgentMuxError) return viewOfRow(row);
    throw error;
  }
}
