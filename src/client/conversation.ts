/** Which conversation in an agent's store a session in a terminal writes: the link between the two. */
import { joinUnifiedId } from "../core/unified-id.ts";

interface Writer {
  kind: string;
  /** In a shell, the agent that somebody started there. */
  agent?: string | undefined;
  resume_key?: string | undefined;
}

/** As `<agent>:<id>`. */
export function conversationOf({ kind, agent, resume_key }: Writer): string | undefined {
  return resume_key === undefined ? undefined : joinUnifiedId(agent ?? kind, resume_key);
}
