/** Actions on a session: directly on this machine, through the daemon on another. */
import { rmSync } from "node:fs";
import { renameSession as renameHere } from "../../client/rename-session.ts";
import { askRunner } from "../../client/runner-http.ts";
import { sessionName } from "../../client/session-name.ts";
import { storedMeta } from "../../client/stored-meta.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { isLockHeld } from "../../lib/process/process-lock.ts";
import { optional } from "../../lib/values/optional.ts";
import { daemonFiles } from "../../protocol/daemon-files.ts";
import { splitRemoteId } from "../../protocol/session-id.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import type { Receipt } from "../../protocol/daemon-api.ts";
import { countsOf } from "../../status/queue/changes.ts";
import { pauseKilled, storedQueue } from "../../status/queue/stored-queue.ts";
import type { TuiServices } from "../services.ts";
import { queueWords } from "../../status/queue/queue-words.ts";
import type { SessionBoard } from "./session-board.ts";

/** The timeout for ending a session on another machine. */
const REMOTE_WITHIN_MS = 70_000;

export async function endSession(services: TuiServices, sessionId: string): Promise<void> {
  if (isRemote(sessionId)) return askDaemon(services, "POST", sessionId, "kill");
  await services.client.kill(sessionId);
  pauseKilled(services.client.files(sessionId));
}

export async function renameSession(services: TuiServices, sessionId: string, name: string): Promise<void> {
  if (isRemote(sessionId)) return askDaemon(services, "PUT", sessionId, "title", { title: sessionName(name) });
  await renameHere(services.places, sessionId, name);
}

/** Starts an ended session again under its own id. */
export async function reviveSession(services: TuiServices, board: SessionBoard, sessionId: string): Promise<void> {
  if (isRemote(sessionId)) return askDaemon(services, "POST", sessionId, "resume");
  const known = board.find(sessionId);
  if (known === undefined) throw new AgentMuxError("SESSION_NOT_FOUND", "This session no longer exists.");
  await services.client.spawn(await services.revival(known));
}

/** Marks it as read. */
export async function markRead(services: TuiServices, sessionId: string): Promise<void> {
  if (isRemote(sessionId)) return askDaemon(services, "POST", sessionId, "read");
  await askRunner(services.client.files(sessionId).socket, { method: "POST", path: "/read", body: "" });
}

/** Types into the session. */
export async function typeInto(services: TuiServices, sessionId: string, bytes: string): Promise<void> {
  const { socket, path } = isRemote(sessionId)
    ? { socket: daemonFiles(services.places.home).socket, path: `/v1/sessions/${sessionId}/input` }
    : { socket: services.client.files(sessionId).socket, path: "/input" };
  const { status } = await askRunner(socket, { method: "POST", path, body: bytes });
  if (status >= 400) throw new AgentMuxError("INVALID_STATE_TRANSITION", "The session refused the input.");
}

/** Answers through the session's hook if one waits, else by typing. Undefined for a session of this machine. */
export async function answerRemote(
  { daemon }: TuiServices,
  sessionId: string,
  answer: string,
  asked: string | undefined,
): Promise<Receipt | undefined> {
  if (!isRemote(sessionId)) return undefined;
  const path = `/v1/sessions/${sessionId}/answer`;
  const body = { answer, ...optional("asked", asked) };
  return daemon.ask<Receipt>({ method: "POST", path, body, timeoutMs: REMOTE_WITHIN_MS });
}

/** A message for a session of another machine that asks nothing. */
export function messageRemote({ daemon }: TuiServices, sessionId: string, text: string): Promise<Receipt> {
  const path = `/v1/sessions/${sessionId}/message`;
  return daemon.ask<Receipt>({ method: "POST", path, body: { text }, timeoutMs: REMOTE_WITHIN_MS });
}

/** Removes an ended session from the list. One that was resumed meanwhile, or whose queue has prompts, stays. */
export async function forgetSession(services: TuiServices, sessionId: string): Promise<void> {
  const { alive, queued = 0, queue_held = 0 } = await lookAt(services, sessionId);
  if (alive) throw new AgentMuxError("INVALID_STATE_TRANSITION", "The session is running. It was not dismissed.");
  if (queued + queue_held > 0)
    throw new AgentMuxError(
      "INVALID_STATE_TRANSITION",
      `Its queue has ${queueWords({ queued, queue_held }).join(", ")}. Remove them first, or use amux dismiss --force.`,
    );
  if (isRemote(sessionId)) return askDaemon(services, "POST", sessionId, "dismiss");
  rmSync(services.client.files(sessionId).directory, { recursive: true, force: true });
}

type Facts = Partial<Pick<MuxSession, "alive" | "queued" | "queue_held">>;

async function lookAt({ client, daemon }: TuiServices, sessionId: string): Promise<Facts> {
  if (isRemote(sessionId)) {
    const sessions = await daemon.ask<MuxSession[]>({ method: "GET", path: "/v1/sessions" });
    return sessions.find(({ id }) => id === sessionId) ?? {};
  }
  const files = client.files(sessionId);
  const { lock, meta } = files;
  const runs = (): boolean => storedMeta(meta)?.alive === true && isLockHeld(lock);
  // The lock of an ended session is held while its process exits or the next one starts.
  if (!runs()) await client.ended(sessionId);
  return { alive: runs(), ...countsOf(storedQueue(files)) };
}

function isRemote(sessionId: string): boolean {
  return splitRemoteId(sessionId) !== undefined;
}

async function askDaemon(
  { daemon }: TuiServices,
  method: "POST" | "PUT",
  sessionId: string,
  action: string,
  body?: object,
): Promise<void> {
  const path = `/v1/sessions/${sessionId}/${action}`;
  await daemon.ask({ method, path, timeoutMs: REMOTE_WITHIN_MS, ...(body === undefined ? {} : { body }) });
}
