/** Every visible session: amux's own through their sockets, tmux's through status files, other machines' through the daemon. */
import { join } from "node:path";
import { listLive } from "../client/live-sockets.ts";
import { knownSessions } from "../client/session-list.ts";
import { askRunner } from "../client/runner-http.ts";
import { storedMeta } from "../client/stored-meta.ts";
import { AgentMuxError } from "../core/errors.ts";
import { asObject, type Json } from "../lib/json/fields.ts";
import { amuxHome, processEnv } from "../lib/fs/paths.ts";
import { isLockHeld } from "../lib/process/process-lock.ts";
import { SessionMeta } from "../protocol/runner-api.ts";
import { sessionFiles, type SessionFiles } from "../protocol/session-files.ts";
import { readEvidence } from "../status/stored-evidence.ts";
import { viewOfRunner, viewOfSession } from "../status/runner-view.ts";
import { withStatusFiles, type SessionView } from "../status/session-view.ts";
import { SnoozeFile } from "../status/snooze.ts";
import { sessionDirectories } from "./mux/session-directories.ts";
import { remoteView } from "./peers/remote-account.ts";
import { remoteRows, viewsOf } from "./peers/remote-rows.ts";
import { statusStore, tmuxSessionsIn } from "./tmux-sessions.ts";

export function snoozeFile(): SnoozeFile {
  return new SnoozeFile(join(amuxHome(processEnv()), "snoozed.json"));
}

export async function liveSessions(now = Date.now()): Promise<SessionView[]> {
  const files = statusStore().list();
  const [runners, others, elsewhere] = await Promise.all([
    runnerSessions(now),
    tmuxSessionsIn(files, now),
    remoteRows(),
  ]);
  return [...withStatusFiles(runners, files, now), ...others, ...viewsOf(elsewhere)];
}

/** Sessions of amux whose process vanished; interrupted ones wait for their user. */
export function lostSessions(now: number): SessionView[] {
  const lost = knownSessions(sessionDirectories()).filter(({ meta, alive }) => meta.alive && !alive);
  return lost.map((known) => viewOfSession(known, now));
}

/** One of amux's sessions with all its runner's evidence. */
export async function withEvidence(session: SessionView, now = Date.now()): Promise<SessionView> {
  if (session.place !== "amux") return session;
  if (session.peer !== undefined) return remoteView(session.ref, session.peer, now);
  const { socket } = sessionFiles(sessionDirectories(), session.ref);
  const [meta, kept] = await Promise.all([metaOf(socket), objectAt(socket, "/evidence")]);
  return meta === undefined || kept?.["said"] === undefined ? session : viewOfRunner(meta, now, readEvidence(kept));
}

/** A runner that is too busy to answer is shown as its file has it; one that is ending is omitted. */
async function runnerSessions(now: number): Promise<SessionView[]> {
  const places = sessionDirectories();
  const ids = await listLive(places);
  const files = ids.map((id) => sessionFiles(places, id));
  const metas = await Promise.all(files.map(async (each) => (await metaOf(each.socket)) ?? runningMeta(each)));
  return metas.flatMap((meta) => (meta === undefined ? [] : [viewOfRunner(meta, now)]));
}

function runningMeta({ meta: path, lock }: SessionFiles): SessionMeta | undefined {
  const meta = storedMeta(path);
  return meta?.alive === true && isLockHeld(lock) ? meta : undefined;
}

async function metaOf(socket: string): Promise<SessionMeta | undefined> {
  return SessionMeta.safeParse(await objectAt(socket, "/meta")).data;
}

async function objectAt(socket: string, path: string): Promise<Json | undefined> {
  try {
    const { body } = await askRunner(socket, { method: "GET", path, timeoutMs: 2000 });
    return asObject(JSON.parse(body.toString("utf8")));
  } catch (error) {
    if (error instanceof AgentMuxError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
