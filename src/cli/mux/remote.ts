/** Sessions of other machines, as `id@peer`: the daemon here knows them, and does there what is asked. */
import type { DaemonClient } from "../../client/daemon-client.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { optional } from "../../lib/optional.ts";
import type { AttentionItem as WireItem } from "../../protocol/daemon-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { splitRemoteId } from "../../protocol/session-id.ts";
import { daemonFiles } from "../../protocol/daemon-files.ts";
import type { Receipt } from "../../status/answer.ts";
import type { AttentionItem } from "../../status/attention.ts";
import { attachTerminal } from "../attach/attach.ts";
import type { Output } from "../output.ts";
import { sessionPlaces } from "./places.ts";

/** For a machine far away to end a session that does not want to. */
const TIMEOUT_MS = 70_000;

/** `id@peer`, `slug@peer` or a beginning of one; whether the machine is there is not looked at. */
export function isRemoteRef(ref: string): boolean {
  return /^[^@\s]+@[a-z0-9][a-z0-9-]*$/.test(ref);
}

export async function chooseRemote(ref: string): Promise<MuxSession> {
  const wanted = splitRemoteId(ref)!;
  const all = await ask<MuxSession[]>("GET", "/v1/sessions");
  const there = all.filter(({ id }) => splitRemoteId(id)?.peer === wanted.peer);
  const named = (test: (name: string) => boolean): MuxSession[] =>
    there.filter(({ id, slug }) => {
      const native = splitRemoteId(id)!.id;
      return [native, native.slice("sess-".length), slug ?? ""].some(test);
    });
  const exact = named((name) => name === wanted.id);
  const found = exact.length > 0 ? exact : named((name) => name.startsWith(wanted.id));
  const living = found.filter(({ alive }) => alive);
  const [only, ...others] = living.length > 0 ? living : found;
  if (only === undefined) {
    throw new AgentMuxError("SESSION_NOT_FOUND", `No session is called "${ref}". See amux ls and amux peers status.`);
  }
  if (others.length === 0) return only;
  throw new AgentMuxError("VALIDATION_ERROR", `"${ref}" can be ${[only, ...others].map(({ id }) => id).join(", ")}.`);
}

/** One action on each, and none before all are found. */
export async function actOnRemote(refs: readonly string[], action: "kill" | "dismiss"): Promise<{ id: string }[]> {
  const sessions = await Promise.all(refs.map(chooseRemote));
  await Promise.all(sessions.map(({ id }) => ask("POST", `/v1/sessions/${id}/${action}`)));
  return sessions.map(({ id }) => ({ id }));
}

export async function typeIntoRemote(ref: string, input: Buffer): Promise<void> {
  const { id } = await chooseRemote(ref);
  const { askRunner } = await import("../../client/runner-http.ts");
  const path = `/v1/sessions/${id}/input`;
  const answer = await askRunner(daemonSocket(), { method: "POST", path, body: input, timeoutMs: TIMEOUT_MS });
  if (answer.status === 200) return;
  const { error } = JSON.parse(answer.body.toString("utf8")) as { error?: { message?: string } };
  throw new AgentMuxError(
    "INVALID_STATE_TRANSITION",
    `The session did not take it: ${error?.message ?? answer.status}`,
  );
}

/** Through its hook where one waits over there, else typed. */
export async function answerRemote(ref: string, answer: string): Promise<Receipt & { session: string }> {
  const { id } = await chooseRemote(ref);
  const path = `/v1/sessions/${id}/answer`;
  const body = { answer };
  const receipt = await (await client()).ask<Receipt>({ method: "POST", path, body, timeoutMs: TIMEOUT_MS });
  return { session: id, ...receipt };
}

/** Who waits on other machines, as far as the daemon here knows; nobody when none runs. */
export async function remoteWaiting(): Promise<AttentionItem[]> {
  const { DaemonMissing } = await import("../../client/daemon-client.ts");
  try {
    const all = await ask<WireItem[]>("GET", "/v1/attention");
    return all
      .filter(({ session_id, place }) => place === undefined && isRemoteRef(session_id))
      .map(({ session_id, title, agent, member, reason, text, since, cwd, source }) => ({
        ref: session_id,
        name: title,
        place: "amux" as const,
        agent,
        ...optional("member", member),
        reason,
        ...optional("text", text),
        since: Date.parse(since),
        cwd,
        ...optional("source", source),
      }));
  } catch (error) {
    if (error instanceof DaemonMissing) return [];
    throw error;
  }
}

/** Brought back over there; the id stays. */
export async function resumeRemote(ref: string): Promise<string> {
  const { id } = await chooseRemote(ref);
  return (await ask<{ session_id: string }>("POST", `/v1/sessions/${id}/resume`)).session_id;
}

/** This terminal on it, until it ends or is left. */
export async function stayWithRemote(id: string, output: Output, readOnly: boolean): Promise<number> {
  const { openRemoteConnection } = await import("../../client/remote-shim.ts");
  const end = await attachTerminal(() => openRemoteConnection(daemonSocket(), id), { readOnly });
  if (end.how === "detached") {
    output.note(`[detached from ${id}; amux attach ${id} comes back]`);
    return 0;
  }
  if (end.how === "exited") {
    output.note(`[${id} exited with ${end.exitCode}]`);
    return end.exitCode;
  }
  if (end.reason === "killed") output.note(`[${id} was killed]`);
  const row = await ask<MuxSession>("GET", `/v1/sessions/${id}`);
  if (!row.alive && row.exit_code !== undefined) return row.exit_code;
  throw new AgentMuxError(
    "AGENT_CRASH",
    "The connection to the session was lost. amux peers status shows whether its machine can be reached.",
  );
}

function daemonSocket(): string {
  return daemonFiles(sessionPlaces().home).socket;
}

async function ask<Data>(method: "GET" | "POST", path: string): Promise<Data> {
  return (await client()).ask<Data>({ method, path, timeoutMs: TIMEOUT_MS });
}

/** Loaded when needed: most commands are about this machine. */
async function client(): Promise<DaemonClient> {
  const { DaemonClient } = await import("../../client/daemon-client.ts");
  return new DaemonClient(sessionPlaces().home);
}
