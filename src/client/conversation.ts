/** Links a terminal session to the conversation it writes in an agent's store. */
import { joinUnifiedId } from "../core/unified-id.ts";

interface Writer {
  kind: string;
  /** In a shell: the agent that was started there. */
  agent?: string | undefined;
  resume_key?: string | undefined;
}

/** As `<agent>:<id>`. */
export function conversationOf({ kind, agent, resume_key }: Writer): string | undefined {
  return resume_key === undefined ? undefined : joinUnifiedId(agent ?? kind, resume_key);
}
