/** GitHub Copilot CLI without a terminal: `copilot --prompt … --output-format json`. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { McpServer } from "../../core/run-options.ts";
import { openedSession, type RunSupport } from "../run-support.ts";
import { when, withValue } from "../shared/arguments.ts";
import { copilotEvents, GUIDANCE } from "./events.ts";
import { gatePlugin } from "./gate.ts";
import { copilotDir } from "./locations.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export const run: RunSupport = {
  honours: ["model", "attachments", "thinkingEffort", "sessionId", "maxTurns", "mcpServers", "yolo", "deny"],
  refusals: {
    noSession: "Copilot saves every session.",
  },
  streamsText: true,
  approvals: true,
  gated: true,
  credentials: {
    variables: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL"],
    files: (env) => [join(copilotDir(env), "config.json")].filter(namesUser),
    guidance: GUIDANCE,
  },
  prepare(request, { scratch, scratchFolder, ask, now }) {
    const { session, cwd, mcpServers, thinkingEffort } = request;
    const opened = openedSession(session);
    const sessionId = opened ?? randomUUID();
    return {
      args: [
        "--output-format",
        "json",
        ...(opened !== undefined ? [`--resume=${opened}`] : ["--session-id", sessionId]),
        ...withValue("--model", request.model),
        ...withValue("--reasoning-effort", thinkingEffort === "max" ? "high" : thinkingEffort),
        ...withValue("--plugin-dir", ask && gatePlugin(ask, scratch, scratchFolder)),
        // Without it, calls that need approval are refused.
        ...when(request.approvalMode === "yolo", "--allow-all-tools"),
        ...request.attachments.flatMap(({ path }) => ["--attachment", path]),
        ...withValue(
          "--additional-mcp-config",
          mcpServers.length > 0 ? `@${scratch("mcp.json", mcpConfig(mcpServers))}` : undefined,
        ),
        // One argument, because a prompt may begin with a dash.
        `--prompt=${request.prompt}`,
      ],
      fallbacks: thinkingEffort === "max" ? [NO_MAX] : [],
      stream: copilotEvents({ cwd, session, now }, sessionId),
    };
  },
};

const NO_MAX = { capability: "thinkingEffort", reason: "Copilot knows no effort above high." };

function mcpConfig(servers: readonly McpServer[]): string {
  const entries = servers.map(({ name, transport, command, args = [], env = {}, url, headers }) => [
    name,
    transport === "stdio"
      ? { type: "local", command, args, env, tools: ["*"] }
      : { type: transport === "sse" ? "sse" : "http", url, headers, tools: ["*"] },
  ]);
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

/** Copilot writes the file at its first start. Tokens are in a keychain, or in this file. */
function namesUser(path: string): boolean {
  try {
    return /"(?:loggedInUsers|logged_in_users)"\s*:\s*\[\s*[{"]/.test(readText(path));
  } catch {
    // Missing or unreadable: the sign-in is unknown.
    return false;
  }
}
