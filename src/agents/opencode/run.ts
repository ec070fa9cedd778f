/** OpenCode without a terminal: `opencode run --format json` with the prompt on standard input. */
import { join } from "node:path";
import { CapabilityError } from "../../core/errors.ts";
import { openedSession, type RunSupport, type SessionChoice } from "../run-support.ts";
import { when, withValue } from "../shared/arguments.ts";
import { GUIDANCE, opencodeEvents } from "./events.ts";
import { gateVariables } from "./gate.ts";
import { dataDir } from "./locations.ts";

export const run: RunSupport = {
  honours: ["model", "attachments", "thinkingEffort", "sessionId", "forkSessionId", "maxTurns", "yolo", "deny"],
  refusals: {
    noSession: "OpenCode saves every session.",
    mcpServers: "OpenCode takes MCP servers from its own configuration only.",
  },
  streamsText: false,
  approvals: true,
  gated: true,
  credentials: {
    variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
    files: (env) => [join(dataDir(env), "auth.json")],
    guidance: GUIDANCE,
  },
  prepare(request, { now, env, ask, scratch }) {
    const { session, cwd } = request;
    const gate = ask === undefined ? {} : gateVariables(env, ask, scratch);
    if (gate === undefined) {
      const message = "OpenCode cannot be asked to wait for approval: OPENCODE_CONFIG_CONTENT holds comments.";
      throw new CapabilityError("opencode", "approvals", message);
    }
    return {
      args: [
        "run",
        "--format",
        "json",
        "--thinking",
        ...withValue("--model", request.model),
        ...withValue("--variant", request.thinkingEffort),
        ...sessionArguments(session),
        // Without it, calls that need approval are refused.
        ...when(request.approvalMode === "yolo", "--auto"),
        ...request.attachments.map(({ path }) => `--file=${path}`),
      ],
      // Not an argument, because OpenCode quotes arguments with spaces.
      stdin: request.prompt,
      vars: gate,
      stream: opencodeEvents({ cwd, session, now }),
    };
  },
};

function sessionArguments(session: SessionChoice): string[] {
  const opened = openedSession(session);
  if (opened !== undefined) return ["--session", opened];
  return session.kind === "fork" ? ["--session", session.id, "--fork"] : [];
}
