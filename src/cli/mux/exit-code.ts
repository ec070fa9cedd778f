/** Exit code of a session whose end this process did not see. */
import { storedMeta } from "../../client/stored-meta.ts";
import { AgentMuxError } from "../../core/errors.ts";

/** From the runner's stored metadata. */
export function storedExit(metaPath: string): number {
  const code = storedMeta(metaPath)?.exit_code;
  if (typeof code === "number") return code;
  throw new AgentMuxError(
    "AGENT_CRASH",
    "The connection to the session was lost. amux ls shows whether it runs; amux resume brings it back.",
  );
}
