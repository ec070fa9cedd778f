/** Finds a remote session by `id@peer` and acts on it through the local daemon. */
import { conversationOf } from "../../client/conversation.ts";
import type { DaemonClient } from "../../client/daemon-client.ts";
import type { RunnerAnswer, RunnerRequest } from "../../client/runner-http.ts";
import { knownSessions } from "../../client/session-list.ts";
import type { ShimConnection } from "../../client/shim-connection.ts";
import { AgentMuxError, type ErrorCode } from "../../core/errors.ts";
import { asObject, asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { daemonFiles } from "../../protocol/daemon-files.ts";
import { isSessionId, splitRemoteId } from "../../protocol/session-id.ts";
import type { Receipt } from "../../protocol/daemon-api.ts";
import { peerNames } from "../peers/peer-names.ts";
import { sessionDirectories } from "./session-directories.ts";
import type { Typed } from "./type-into.ts";

/** Time for a distant machine to end a stubborn session. */
const TIMEOUT_MS = 70_000;

/**
 * `id@peer`, `slug@peer`, `name@peer` or a prefix. A local session with an `@` in its name matches if there is no such peer, or
 * if the name is exact. An id always means the peer's.
 */
export function isRemoteRef(ref: string): boolean {
  const [, id = "", peer = ""] = /^(.+)@([a-z0-9][a-z0-9-]*)$/.exec(ref) ?? [];
  if (id === "" || isSessionId(id)) return id !== "";
  if (!peerNames().includes(peer)) return false;
  return !knownSessions(sessionDirectories()).some(({ meta }) => meta.name === ref);
}

export async function chooseRemote(ref: string): Promise<MuxSession> {
  const wanted = splitRemoteId(ref)!;
  if (!peerNames().includes(wanted.peer)) {
    throw new AgentMuxError("SESSION_NOT_FOUND", `There is no peer ${wanted.peer}. See amux peers list.`);
  }
  const all = await askDaemon<MuxSession[]>("GET", "/v1/sessions");
  const there = all.filter(({ id }) => splitRemoteId(id)?.peer === wanted.peer);
  const exact = there.filter((session) => session.title === wanted.id || namesOf(session).includes(wanted.id));
  const begun = (session: MuxSession): boolean => namesOf(session).some((name) => name.startsWith(wanted.id));
  const found = exact.length > 0 ? exact : there.filter(begun);
  const living = found.filter(({ alive }) => alive);
  const [only, ...others] = living.length > 0 ? living : found;
  if (only === undefined) {
    throw new AgentMuxError("SESSION_NOT_FOUND", `No session is called "${ref}". See amux ls and amux peers status.`);
  }
  if (others.length === 0) return only;
  throw new AgentMuxError(
    "VALIDATION_ERROR",
    `"${ref}" is ambiguous: ${[only, ...others].map(({ id }) => id).join(", ")}.`,
  );
}

function namesOf(session: MuxSession): string[] {
  const native = splitRemoteId(session.id)!.id;
  return [native, native.slice("sess-".length), session.name ?? "", session.slug ?? "", conversationOf(session) ?? ""];
}

/** One action on each, after all were found; `check` refuses one. */
export async function actOnRemote(
  refs: readonly string[],
  action: "kill" | "dismiss",
  check?: (session: MuxSession) => void,
): Promise<{ id: string }[]> {
  const sessions = await Promise.all(refs.map(chooseRemote));
  if (check !== undefined) sessions.forEach(check);
  await Promise.all(sessions.map(({ id }) => askDaemon("POST", `/v1/sessions/${id}/${action}`)));
  return sessions.map(({ id }) => ({ id }));
}

export async function typeIntoRemote(ref: string, typed: Typed): Promise<void> {
  const { id } = await chooseRemote(ref);
  const { inputHeaders } = await import("./type-into.ts");
  const path = `/v1/sessions/${id}/input`;
  await askDaemonRaw({ method: "POST", path, body: typed.bytes, headers: inputHeaders(typed) });
}

/** Text and Enter, checked and typed on its machine. */
export async function messageRemote(ref: string, text: string, force: boolean): Promise<Receipt & { session: string }> {
  const { id } = await chooseRemote(ref);
  const body = { text, ...(force ? { force } : {}) };
  return { session: id, ...(await askDaemon<Receipt>("POST", `/v1/sessions/${id}/message`, body)) };
}

/** Through its waiting hook there, otherwise on its screen. */
export async function answerRemote(
  ref: string,
  answer: string,
  asked: string | undefined,
): Promise<Receipt & { session: string }> {
  const { id } = await chooseRemote(ref);
  const body = { answer, ...optional("asked", asked) };
  return { session: id, ...(await askDaemon<Receipt>("POST", `/v1/sessions/${id}/answer`, body)) };
}

/** Revived on its machine; the id stays. */
export async function reviveRemote(ref: string, how: "resume" | "restart"): Promise<string> {
  const { id } = await chooseRemote(ref);
  return (await askDaemon<{ session_id: string }>("POST", `/v1/sessions/${id}/${how}`)).session_id;
}

export async function connectRemote(id: string): Promise<ShimConnection> {
  const { openRemoteConnection } = await import("../../client/remote-shim.ts");
  return openRemoteConnection(daemonSocket(), id);
}

/** The raw answer, for anything that is not JSON. */
export async function askDaemonRaw(request: RunnerRequest): Promise<RunnerAnswer> {
  const { askRunner } = await import("../../client/runner-http.ts");
  const answer = await askRunner(daemonSocket(), { timeoutMs: TIMEOUT_MS, ...request });
  if (answer.status < 400) return answer;
  let error;
  try {
    error = asObject(asObject(JSON.parse(answer.body.toString("utf8")))?.["error"]);
  } catch {
    // Not JSON.
  }
  throw named(
    asText(error?.["code"]),
    asText(error?.["message"]) ?? `The daemon refused it (status ${answer.status}).`,
  );
}

/** Refusals keep the code that scripts check. */
export async function askDaemon<Data>(
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
  timeoutMs = TIMEOUT_MS,
): Promise<Data> {
  try {
    return await (await client()).ask<Data>({ method, path, timeoutMs, ...(body === undefined ? {} : { body }) });
  } catch (error) {
    throw refusalOf(error);
  }
}

/** The daemon's refusal with the code that scripts check; other errors unchanged. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof AgentMuxError) || error.code !== "INTERNAL") return error;
  return named(asText(asObject(error.cause)?.["code"]), error.message, error);
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  peer_unreachable: "TIMEOUT",
  peer_too_old: "CAPABILITY_ERROR",
  unknown_peer: "SESSION_NOT_FOUND",
  not_found: "SESSION_NOT_FOUND",
  not_running: "INVALID_STATE_TRANSITION",
  incarnation_mismatch: "INVALID_STATE_TRANSITION",
  invalid_state: "INVALID_STATE_TRANSITION",
  not_possible: "CAPABILITY_ERROR",
  not_waiting: "NO_PENDING_INTERACTION",
  cwd_gone: "VALIDATION_ERROR",
  bad_request: "VALIDATION_ERROR",
};

function named(code: string | undefined, message: string, cause?: unknown): AgentMuxError {
  return new AgentMuxError(CODES[code ?? ""] ?? "INTERNAL", message, { cause });
}

export async function isDaemonRunning(): Promise<boolean> {
  return (await (await client()).health()) !== undefined;
}

function daemonSocket(): string {
  return daemonFiles(sessionDirectories().home).socket;
}

/** Loaded on demand: most commands are local. */
async function client(): Promise<DaemonClient> {
  const { DaemonClient } = await import("../../client/daemon-client.ts");
  return new DaemonClient(sessionDirectories().home);
}
