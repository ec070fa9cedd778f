/** Who waits on another machine, as that machine says it: checked, cut to size, and named `id@peer`. */
import * as z from "zod/mini";
import { optional } from "../../lib/optional.ts";
import { oneLine, truncate } from "../../lib/text.ts";
import { AttentionItem } from "../../protocol/daemon-api.ts";
import { isSessionId } from "../../protocol/session-id.ts";
import type { AttentionItem as Waiting } from "../../status/attention.ts";

/** More than this wait on no machine. */
const MAX_ITEMS = 1000;

/** What is asked may be a whole command; more of it is read over there. */
const MAX_TEXT = 1000;

const RemoteQueue = z.array(AttentionItem).check(z.maxLength(MAX_ITEMS));

/** Undefined when it is not understood. Sessions of its tmux are left out: they are answered where they are. */
export function remoteAttention(peer: string, data: string): Waiting[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined; // Not JSON: as good as nothing.
  }
  return RemoteQueue.safeParse(value).data?.flatMap(({ session_id, place, since, reason, ...item }) => {
    const at = Date.parse(since);
    if (place !== undefined || !isSessionId(session_id) || Number.isNaN(at)) return [];
    return {
      ref: `${session_id}@${peer}`,
      name: short(item.title),
      place: "amux" as const,
      agent: short(item.agent),
      ...optional("member", item.member && short(item.member)),
      reason,
      ...optional("text", item.text && short(item.text)),
      since: at,
      cwd: short(item.cwd),
      ...optional("source", item.source && short(item.source)),
    };
  });
}

function short(text: string): string {
  return truncate(oneLine(text), MAX_TEXT);
}
