/** Another machine's attention list: validated, truncated, and named `id@peer`. */
import { optional } from "../../lib/values/optional.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";
import { AttentionItem } from "../../protocol/daemon-api.ts";
import { isEntryId, isSessionId } from "../../protocol/session-id.ts";
import { isOfSession, type AttentionItem as Waiting } from "../../status/attention.ts";

/** More than any machine has. */
const MAX_ITEMS = 1000;

/** A question may be a whole command; the rest can be read there. */
const MAX_TEXT = 1000;

/** Unknown items may be of a later version and are dropped. Its tmux sessions are answered there. */
export function remoteAttention(peer: string, told: unknown): Waiting[] {
  if (!Array.isArray(told)) return [];
  return told.slice(0, MAX_ITEMS).flatMap((each): Waiting[] => {
    const known = AttentionItem.safeParse(each).data;
    if (known === undefined) return [];
    const { session_id, place, since, reason, ...item } = known;
    const at = Date.parse(since);
    const isKnown = isOfSession({ reason }) ? isSessionId(session_id) : isEntryId(session_id);
    if (place !== undefined || !isKnown || Number.isNaN(at)) return [];
    const waiting: Waiting = {
      ref: `${session_id}@${peer}`,
      // Raised or resolved there, not here.
      name: isOfSession({ reason }) ? short(item.title) : `${short(item.title)} on ${peer}`,
      place: "amux" as const,
      agent: short(item.agent),
      ...optional("member", item.member && short(item.member)),
      reason,
      ...optional("text", item.text && short(item.text)),
      since: at,
      ...optional("resetsAt", timeOf(item.resets_at)),
      cwd: short(item.cwd),
      ...optional("source", item.source && short(item.source)),
      ...optional(
        "options",
        item.options?.map((option) => ({ ...option, label: short(option.label) })),
      ),
      ...optional("several", item.several),
      ...optional("asked", item.asked && short(item.asked)),
      ...optional(
        "sessions",
        item.sessions?.filter(isSessionId).map((id) => `${id}@${peer}`),
      ),
    };
    return [waiting];
  });
}

function timeOf(text: string | undefined): number | undefined {
  const at = Date.parse(text ?? "");
  return Number.isNaN(at) ? undefined : at;
}

function short(text: string): string {
  return truncate(oneLine(text), MAX_TEXT);
}
