/** One session by its reference: amux's own, alive or dead, else one that only its status file tells of. */
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

/** One that runs. Whose name one that has ended has is not taken for another's beginning: what is said is not for it. */
export async function liveSessionNamed(ref: string, now = Date.now()): Promise<SessionView> {
  const sessions = await liveSessions(now);
  const isExact = sessions.some(({ ref: id, name, slug }) => [id, name, slug].includes(ref));
  if (!isExact && hasEnded(ref)) chooseRunning(ref);
  return chooseView(sessions, ref);
}

/** Its machine may be out of reach, or of an older version: then what was last heard of it is shown. */
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
