/** GitHub Copilot CLI without a terminal: `copilot --prompt … --output-format json`. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { McpServer } from "../../core/run-options.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { shellWord } from "../../lib/text/shell-word.ts";
import { type AskEndpoint, openedSession, type RunContext, type RunSupport } from "../run-support.ts";
import { when, withValue } from "../shared/arguments.ts";
import { ANSWER_WITHIN_SECONDS, askingSource } from "../shared/ask-program.ts";
import { copilotEvents, GUIDANCE } from "./events.ts";
import { copilotDir } from "./locations.ts";

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

/**
 * The plug-in through which Copilot asks for approval, for one start. Without a terminal Copilot refuses by default, so
 * a failed or killed hook allows nothing.
 */
function gatePlugin(
  place: AskEndpoint,
  scratch: RunContext["scratch"],
  scratchFolder: RunContext["scratchFolder"],
): string {
  const bash = [place.node, scratch("gate.mjs", source(place))].map(shellWord).join(" ");
  const hook = { type: "command", bash, timeoutSec: ANSWER_WITHIN_SECONDS };
  return scratchFolder("plugin", {
    "plugin.json": JSON.stringify({ name: "amux-gate", version: "1.0.0", hooks: "hooks.json" }),
    "hooks.json": JSON.stringify({ version: 1, hooks: { permissionRequest: [hook] } }),
  });
}

function source(place: AskEndpoint): string {
  return `import { text } from "node:stream/consumers";
${askingSource(place)}
const { toolName, toolInput } = JSON.parse(await text(process.stdin));
const { approved, reason } = await ask(toolName, toolInput);
console.log(JSON.stringify(approved ? { behavior: "allow" } : { behavior: "deny", message: reason }));
`;
}
