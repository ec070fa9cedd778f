/** Factory Droid without a terminal: `droid exec -o stream-json` with the prompt in a file. */
import { join } from "node:path";
import { openedSession, type RunSupport } from "../run-support.ts";
import { when, withValue } from "../shared/arguments.ts";
import { droidEvents, GUIDANCE } from "./events.ts";
import { factoryDir } from "./locations.ts";

export const run: RunSupport = {
  honours: ["model", "thinkingEffort", "sessionId", "forkSessionId", "yolo", "deny"],
  refusals: {
    noSession: "Droid saves every session.",
    maxTurns: "Droid does not report single model calls, so they cannot be limited.",
    attachments: "Droid takes no attachments without a terminal; name the files in the prompt.",
    mcpServers: "Droid takes MCP servers from its own configuration only: droid mcp add.",
  },
  streamsText: false,
  approvals: "Droid does not ask without a terminal: by default it only reads, and refuses the rest.",
  billsSubagents: true,
  credentials: {
    variables: ["FACTORY_API_KEY"],
    files: (env) => [join(factoryDir(env), "auth.json"), join(factoryDir(env), "auth.encrypted")],
    guidance: GUIDANCE,
  },
  prepare(request, { now, scratch }) {
    const { session, cwd } = request;
    return {
      args: [
        "exec",
        "-o",
        "stream-json",
        ...withValue("-m", request.model),
        ...withValue("-r", request.thinkingEffort),
        ...withValue("-s", openedSession(session)),
        ...withValue("--fork", session.kind === "fork" && session.copy === undefined ? session.id : undefined),
        ...when(request.approvalMode === "yolo", "--skip-permissions-unsafe"),
        "-f",
        scratch("prompt.txt", request.prompt),
      ],
      stream: droidEvents({ cwd, session, now }),
    };
  },
};
