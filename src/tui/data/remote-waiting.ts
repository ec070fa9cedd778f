/** Waiting sessions of other machines, from the local daemon. */
import type { DaemonClient } from "../../client/daemon-client.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AttentionItem as WireItem } from "../../protocol/daemon-api.ts";
import { splitRemoteId } from "../../protocol/session-id.ts";
import type { AttentionItem } from "../../status/attention.ts";

export async function remoteWaiting(daemon: DaemonClient): Promise<AttentionItem[]> {
  const all = await daemon.ask<WireItem[]>({ method: "GET", path: "/v1/attention" });
  return all
    .filter(({ session_id, place }) => place === undefined && splitRemoteId(session_id) !== undefined)
    .map(({ session_id, title, agent, member, reason, text, since, resets_at, cwd, source, sessions, ...asks }) => ({
      ref: session_id,
      name: title,
      place: "amux" as const,
      agent,
      ...optional("member", member),
      reason,
      ...optional("text", text),
      since: Date.parse(since),
      ...optional("resetsAt", resets_at === undefined ? undefined : Date.parse(resets_at)),
      cwd,
      ...optional("source", source),
      ...optional("options", asks.options),
      ...optional("several", asks.several),
      ...optional("asked", asks.asked),
      ...optional("sessions", sessions),
    }));
}
