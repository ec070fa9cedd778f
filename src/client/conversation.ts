/** Which conversation in an agent's store a session in a terminal writes: the link between the two. */
import { joinUnifiedId } from "../core/unified-id.ts";
import type { SessionMeta } from "../protocol/runner-api.ts";

/** As `<agent>:<id>`. */
export function conversationOf({ kind, resume_key }: Pick<SessionMeta, "kind" | "resume_key">): string | undefined {
  return resume_key === undefined ? undefined : joinUnifiedId(kind, resume_key);
}
