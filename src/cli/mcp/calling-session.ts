/** Whether a session is the one whose agent calls. */
import { conversationOf } from "../../client/conversation.ts";
import type { KnownSession } from "../../client/session-list.ts";
import type { ToolContext } from "./tool.ts";

export function isCalling({ meta }: KnownSession, context: ToolContext): boolean {
  return context.isAsking(meta.id) || context.isAsking(conversationOf(meta) ?? "");
}
