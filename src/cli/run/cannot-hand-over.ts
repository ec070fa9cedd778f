/** What keeps a session from being opened again in its agent. */
import { AgentMuxError } from "../../core/errors.ts";
import type { AgentAdapter, Launch } from "../../index.ts";

/** Whether it goes on from a copy that is made for it, where it has no command of its own. */
export function forksCopies(launch: Launch | undefined): boolean {
  return (launch?.forkAt ?? launch?.forkByAsking) !== undefined;
}

/** Of some agents only sessions of one kind can be opened again. */
export function cannotHandOver(
  { displayName, launch }: Pick<AgentAdapter, "displayName" | "launch">,
  action: "resume" | "fork",
): AgentMuxError {
  const what = launch?.[action] === undefined ? "a session" : "this session, unlike others,";
  return new AgentMuxError("CAPABILITY_ERROR", `${displayName} cannot ${action} ${what} from its command line.`);
}
