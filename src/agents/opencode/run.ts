/** OpenCode without a terminal: `opencode run --format json` with the prompt on standard input. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CapabilityError } from "../../core/errors.ts";
import type { AgentEnv } from "../adapter.ts";
import { type AskEndpoint, openedSession, type RunSupport, type SessionChoice } from "../run-support.ts";
import { when, withValue } from "../shared/arguments.ts";
import { askingSource } from "../shared/ask-program.ts";
import { GUIDANCE, opencodeEvents } from "./events.ts";
import { dataDir } from "./locations.ts";
import { CONTENT_VARIABLE, settingsWithPlugin } from "./plugin-settings.ts";

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

/** Tools that change no files. */
const HARMLESS = ["read", "grep", "glob", "list", "todoread", "todowrite", "skill"];

/**
 * The environment variables for one start that add a plug-in through which OpenCode asks before it runs a tool. Undefined if the
 * user's own settings there cannot be extended.
 */
function gateVariables(
  env: AgentEnv,
  place: AskEndpoint,
  scratch: (name: string, content: string) => string,
): Record<string, string> | undefined {
  const settings = settingsWithPlugin(env, () => pathToFileURL(scratch("gate.js", source(place))).href);
  return settings === undefined ? undefined : { [CONTENT_VARIABLE]: settings };
}

function source(place: AskEndpoint): string {
  return `${askingSource(place)}
const harmless = new Set(${JSON.stringify(HARMLESS)});

export const AmuxGate = async () => ({
  "tool.execute.before": async (input, output) => {
    if (harmless.has(input.tool)) return;
    const { approved, reason } = await ask(input.tool, output.args);
    if (!approved) throw new Error(reason);
  },
});
`;
}
