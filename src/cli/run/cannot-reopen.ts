/** Reasons why a session cannot be opened again in its agent. */
import { AgentMuxError } from "../../core/errors.ts";
import type { AgentAdapter, Launch } from "../../index.ts";

/** Whether a fork continues from a copy made for it, if the agent has no fork command. */
export function forksCopies(launch: Launch | undefined): boolean {
  return (launch?.forkAt ?? launch?.forkByAsking) !== undefined;
}

/** Some agents can reopen only sessions of one kind. */
export function cannotReopen(
  { displayName, launch }: Pick<AgentAdapter, "displayName" | "launch">,
  action: "resume" | "fork",
): AgentMuxError {
  const what = launch?.[action] === undefined ? "a session" : "this session, unlike others,";
  return new AgentMuxError("CAPABILITY_ERROR", `${displayName} cannot ${action} ${what} from its command line.`);
}
