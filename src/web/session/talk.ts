/** Which running session is shown as a conversation instead of a terminal: an agent's, on a phone. */
import { computed } from "@preact/signals";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { isNarrow } from "../state/preferences.ts";
import { param } from "../state/route.ts";
import { isAttachable, selected, shownId } from "../state/selection.ts";

export function talksFirst({ agent, kind }: MuxSession): boolean {
  return isNarrow.value && (agent ?? kind) !== "shell";
}

export const talkingId = computed(() => {
  const session = selected.value;
  if (session === undefined || session.id !== shownId.value || !isAttachable(session)) return null;
  return talksFirst(session) && param("show") === "" ? session.id : null;
});
