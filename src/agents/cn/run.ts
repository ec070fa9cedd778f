/** Continue without a terminal: `cn -p` with the prompt on standard input. */
import { join } from "node:path";
import type { RunSupport } from "../run-support.ts";
import { when, withValue } from "../shared/arguments.ts";
import { continueEvents, GUIDANCE } from "./events.ts";
import { continueDir } from "./locations.ts";

export const run: RunSupport = {
  honours: ["forkSessionId", "yolo", "deny"],
  refusals: {
    model: "Continue takes its model from its configuration; --model names one of its hub only.",
    sessionId: "Continue resumes only the latest session of all; it can fork any.",
    noSession: "Continue saves every session.",
    maxTurns: "Continue cannot limit the number of model calls.",
    mcpServers: "Continue takes MCP servers from its own configuration only.",
    attachments: "Continue takes only text without a terminal; name the file in the prompt.",
  },
  streamsText: false,
  approvals: "Continue does not ask without a terminal: it leaves out the tools that need approval.",
  credentials: {
    variables: ["CONTINUE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
    files: (env) => [join(continueDir(env), "auth.json"), join(continueDir(env), "config.yaml")],
    guidance: GUIDANCE,
  },
  prepare(request, { now }) {
    const { session, cwd } = request;
    return {
      args: [
        "-p",
        ...withValue("--fork", session.kind === "fork" ? session.id : undefined),
        ...when(request.approvalMode === "yolo", "--auto"),
      ],
      stdin: request.prompt,
      stream: continueEvents({ cwd, session, now }),
    };
  },
};
