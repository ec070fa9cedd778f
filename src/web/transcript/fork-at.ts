/** Going on with a copy: of all that was said, or of what was said up to a message, where the agent can do that. */
import { agents, type Agent } from "../state/agents.ts";
import { api } from "../state/api.ts";
import { awaitSession } from "../state/selection.ts";
import { attempt } from "../ui/notices.ts";
import type { ForkAt } from "./message-view.tsx";
import type { Message, Transcript } from "./transcript.ts";

/** From an answer on; from a prompt so that something else can be asked in its place. */
export function forkAt({ unifiedId, peer }: Transcript, index: number, role: Message["role"]): ForkAt | undefined {
  const isPrompt = role === "user";
  const last = isPrompt ? index - 1 : index;
  const agent = agents.value.get(unifiedId.split(":", 1)[0]!);
  // What a machine elsewhere can do is not known here.
  if (peer !== undefined || agent?.can_fork_at !== true || last < 0 || role === "tool") return undefined;
  return {
    label: isPrompt ? "Fork from here: ask something else instead" : "Fork from here",
    run: () => void attempt(async () => awaitSession((await api.open(unifiedId, "fork", peer, last)).session_id)),
  };
}

export function forkLabel({ display_name, can_fork, can_fork_at }: Agent): string {
  if (!can_fork) return `${display_name} cannot fork a conversation`;
  if (can_fork_at === true) return "Fork: go on with a copy of all of it";
  return `Fork: go on with a copy of all of it (${display_name} cannot fork at a message)`;
}
