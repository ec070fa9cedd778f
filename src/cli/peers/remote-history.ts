/** Conversations of another machine: `<agent>:<id>@peer`, `<agent> <id>@peer`, or a live `id@peer`. */
import { conversationOf as writtenBy } from "../../client/conversation.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { optional } from "../../lib/values/optional.ts";
import { printableJson, withoutControls } from "../../lib/text/text.ts";
import type { ExportFormat } from "../../history/export/export.ts";
import { usageError, type Invocation } from "../command.ts";
import type { Started } from "../../protocol/daemon-api.ts";
import { askDaemon, askDaemonRaw, chooseRemote } from "../mux/remote.ts";
import { followRemote } from "../mux/follow-remote.ts";
import { peerNames } from "./peer-names.ts";

/** Reading a long conversation takes a while. */
const WITHIN_MS = 120_000;
const MAX_SHOWN = 5;
const ALL = 1_000_000;

export interface RemoteReference {
  peer: string;
  /** Empty if the reference is a live session's. */
  agent: string;
  id: string;
}

/** Undefined if no peer is meant: agents' ids may contain an `@`. */
export function remoteReference(args: readonly string[]): RemoteReference | undefined {
  const last = args.at(-1) ?? "";
  const at = last.lastIndexOf("@");
  const peer = last.slice(at + 1);
  if (at <= 0 || !peerNames().includes(peer)) return undefined;
  const id = last.slice(0, at);
  if (args.length > 1) return { peer, agent: args[0]!, id };
  const colon = id.indexOf(":");
  return colon < 0 ? { peer, agent: "", id } : { peer, agent: id.slice(0, colon), id: id.slice(colon + 1) };
}

export async function exportRemote(
  invocation: Invocation,
  reference: RemoteReference,
  format: ExportFormat,
  limit?: number,
): Promise<void> {
  if (invocation.flag("raw")) throw usageError("The agent's own records stay on their machine; leave out --raw.");
  const { output } = invocation;
  output.progress(`asking ${reference.peer}`);
  const unifiedId = await unifiedIdOf(reference);
  const query = new URLSearchParams({ format, peer: reference.peer });
  if (limit !== undefined) query.set("limit", String(limit));
  const path = `/v1/history/${encodeURIComponent(unifiedId)}?${query.toString()}`;
  const { body } = await askDaemonRaw({ method: "GET", path, timeoutMs: WITHIN_MS });
  const text = body.toString("utf8");
  if (format === "json" || format === "jsonl") return output.write(printableJson(text));
  // Remote text must not control this terminal.
  await (output.isTerminal ? output.page([withoutControls(text)]) : output.write(text));
}

/** Resumes it there, attached from here. */
export async function openRemote(
  invocation: Invocation,
  reference: RemoteReference,
  action: "resume" | "fork",
): Promise<number> {
  if (invocation.flag("dry-run")) throw usageError("--dry-run is for sessions of this machine.");
  const { output } = invocation;
  const cwd = invocation.text("cwd");
  const message = action === "fork" ? invocation.count("at", 0) : undefined;
  const path = `/v1/history/${encodeURIComponent(await unifiedIdOf(reference))}/${action}?peer=${reference.peer}`;
  const { session_id: id } = await askDaemon<Started>("POST", path, {
    ...optional("cwd", cwd),
    ...optional("message", message),
  });
  if (!invocation.flag("detach") && !output.json) return followRemote(id, output);
  await (output.json ? output.writeJson({ id, peer: reference.peer }) : output.write(`${id}\n`));
  return 0;
}

export async function unifiedIdOf({ peer, agent, id }: RemoteReference): Promise<string> {
  if (agent === "") return conversationOf(`${id}@${peer}`);
  const query = new URLSearchParams({ peer, agent, counts: "false", limit: String(ALL) });
  const sessions = await askDaemon<{ sessionId: string; unifiedId: string }[]>(
    "GET",
    `/v1/history?${query.toString()}`,
    undefined,
    WITHIN_MS,
  );
  const exact = sessions.filter(({ sessionId }) => sessionId === id);
  const [only, ...others] = exact.length > 0 ? exact : sessions.filter(({ sessionId }) => sessionId.startsWith(id));
  if (only === undefined) {
    throw new AgentMuxError("SESSION_NOT_FOUND", `No ${agent} session on ${peer} has the id "${id}".`);
  }
  if (others.length === 0) return only.unifiedId;
  const shown = [only, ...others].slice(0, MAX_SHOWN).map(({ sessionId }) => sessionId);
  throw new AgentMuxError("VALIDATION_ERROR", `"${id}" is ambiguous on ${peer}: ${shown.join(", ")}.`);
}

async function conversationOf(ref: string): Promise<string> {
  const session = await chooseRemote(ref);
  const written = writtenBy(session);
  if (written !== undefined) return written;
  throw new AgentMuxError("SESSION_NOT_FOUND", `No conversation found for ${session.id}. See amux tail ${session.id}.`);
}
