/** OpenCode and its kin without a terminal: `opencode run --format json` with the prompt on standard input. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CapabilityError } from "../../../core/errors.ts";
import type { AgentEnv } from "../../adapter.ts";
import { type AskEndpoint, openedSession, type RunSupport, type SessionChoice } from "../../run-support.ts";
import { when, withValue } from "../arguments.ts";
import { askingSource } from "../ask-program.ts";
import { eventsOf, guidanceOf } from "./events.ts";
import { dataDir } from "./locations.ts";
import { contentVariable, settingsWithPlugin } from "./plugin-settings.ts";
import type { Product } from "./product.ts";

export function runOf(product: Product): RunSupport {
  const { name, displayName } = product;
  return {
    honours: ["model", "attachments", "thinkingEffort", "sessionId", "forkSessionId", "maxTurns", "yolo", "deny"],
    refusals: {
      noSession: `${displayName} saves every session.`,
      mcpServers: `${displayName} takes MCP servers from its own configuration only.`,
    },
    streamsText: false,
    approvals: true,
    gated: true,
    credentials: {
      variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
      files: (env) => [join(dataDir(product, env), "auth.json")],
      guidance: guidanceOf(product),
    },
    prepare(request, { now, env, ask, scratch }) {
      const { session, cwd } = request;
      const gate = ask === undefined ? {} : gateVariables(product, env, ask, scratch);
      if (gate === undefined) {
        const message = `${displayName} cannot be asked to wait for approval: ${contentVariable(product)} holds comments.`;
        throw new CapabilityError(name, "approvals", message);
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
        // Not an argument, because it quotes arguments with spaces.
        stdin: request.prompt,
        vars: gate,
        stream: eventsOf(product, { cwd, session, now }),
      };
    },
  };
}

function sessionArguments(session: SessionChoice): string[] {
  const opened = openedSession(session);
  if (opened !== undefined) return ["--session", opened];
  return session.kind === "fork" ? ["--session", session.id, "--fork"] : [];
}

/** Tools that change no files. */
const HARMLESS = ["read", "grep", "glob", "list", "todoread", "todowrite", "skill"];

/**
 * The environment variables for one start that add a plug-in through which it asks before it runs a tool. Undefined if the
 * user's own settings there cannot be extended.
 */
function gateVariables(
  product: Product,
  env: AgentEnv,
  place: AskEndpoint,
  scratch: (name: string, content: string) => string,
): Record<string, string> | undefined {
  const settings = settingsWithPlugin(product, env, () => pathToFileURL(scratch("gate.js", source(place))).href);
  return settings === undefined ? undefined : { [contentVariable(product)]: settings };
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
