/** OpenCode without a terminal: `opencode run --format json` with the prompt on standard input. */
import { join } from "node:path";
import type { RunSupport } from "../run-support.ts";
import { when, withValue } from "../shared/arguments.ts";
import { GUIDANCE, opencodeEvents } from "./events.ts";
import { dataDir } from "./places.ts";

export const run: RunSupport = {
  honours: ["model", "attachments", "thinkingEffort", "sessionId", "forkSessionId", "maxTurns", "yolo", "deny"],
  refusals: {
    noSession: "OpenCode saves every session.",
    mcpServers: "OpenCode takes MCP servers from its own configuration only.",
  },
  streamsText: false,
  approvals: "OpenCode asks nobody when it runs without a terminal: what needs approval is refused.",
  credentials: {
    variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
    files: (env) => [join(dataDir(env), "auth.json")],
    guidance: GUIDANCE,
  },
  prepare(request, { now }) {
    const { session, cwd } = request;
    return {
      args: [
        "run",
        "--format",
        "json",
        "--thinking",
        ...withValue("--model", request.model),
        ...withValue("--variant", request.thinkingEffort),
        ...(session.kind === "resume" || session.kind === "fork" ? ["--session", session.id] : []),
        ...when(session.kind === "fork", "--fork"),
        // Without it, and with nobody to ask, what needs approval is refused.
        ...when(request.approvalMode === "yolo", "--auto"),
        ...request.attachments.map(({ path }) => `--file=${path}`),
      ],
      // Not as an argument: OpenCode puts quotation marks around words with blanks in them.
      stdin: request.prompt,
      stream: opencodeEvents({ cwd, session, now }),
    };
  },
};
