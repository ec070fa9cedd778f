/** Claude Code without a terminal: `claude -p` with JSON on both sides. */
import { join } from "node:path";
import type { McpServer } from "../../core/run-options.ts";
import type { Json } from "../../lib/json/fields.ts";
import { readBytes } from "../../lib/fs/foreign-file.ts";
import { optional } from "../../lib/values/optional.ts";
import { openedSession, type RunRequest, type RunSupport, type SessionChoice } from "../run-support.ts";
import { promptFallbacks, when, withValue } from "../shared/arguments.ts";
import { promptMessage } from "./dialogue.ts";
import { claudeEvents, GUIDANCE } from "./events.ts";
import { configDirs } from "./locations.ts";

/** Set in the tools of a running Claude Code, which then refuses to start another one. */
const NESTING_MARKS = { CLAUDECODE: undefined, CLAUDE_CODE_ENTRYPOINT: undefined };

export const run: RunSupport = {
  honours: [
    "model",
    "systemPrompt",
    "attachments",
    "thinkingEffort",
    "thinkingBudgetTokens",
    "maxOutputTokens",
    "sessionId",
    "forkSessionId",
    "noSession",
    "maxTurns",
    "mcpServers",
    "yolo",
    "deny",
  ],
  streamsText: true,
  approvals: true,
  billsSubagents: true,
  sessionVariable: "CLAUDE_CODE_SESSION_ID",
  credentials: {
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK"],
    files: (env) => configDirs(env).map((directory) => join(directory, ".credentials.json")),
    guidance: GUIDANCE,
  },
  prepare(request, { scratch, now }) {
    const { session, systemPrompt, mcpServers } = request;
    const mode = systemPrompt?.mode;
    return {
      args: [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        ...when(request.streams, "--include-partial-messages"),
        ...sessionArgs(session),
        ...withValue("--model", request.model),
        ...withValue("--effort", request.thinkingEffort),
        ...approvalArgs(request),
        ...withValue(mode === "replace" ? "--system-prompt" : "--append-system-prompt", systemPrompt?.text),
        // A file, because the servers' variables may be secret and arguments are visible to everyone.
        ...withValue("--mcp-config", mcpServers.length > 0 ? scratch("mcp.json", mcpConfig(mcpServers)) : undefined),
      ],
      stdin: promptMessage(promptContent(request)),
      vars: {
        ...NESTING_MARKS,
        ...optional("MAX_THINKING_TOKENS", request.thinkingBudgetTokens?.toString()),
        ...optional("CLAUDE_CODE_MAX_OUTPUT_TOKENS", request.maxOutputTokens?.toString()),
      },
      fallbacks: promptFallbacks("Claude Code", mode),
      stream: claudeEvents({ cwd: request.cwd, session, now }, request.converses),
    };
  },
};

function sessionArgs(session: SessionChoice): string[] {
  const opened = openedSession(session);
  if (opened !== undefined) return ["--resume", opened];
  switch (session.kind) {
    case "fork":
      return ["--resume", session.id, "--fork-session"];
    case "none":
      return ["--no-session-persistence"];
    default:
      return [];
  }
}

function approvalArgs({ approvalMode, asks, converses }: RunRequest): string[] {
  if (approvalMode === "yolo") return ["--dangerously-skip-permissions"];
  if (approvalMode === "deny") return ["--permission-mode", "dontAsk"];
  return when(asks && converses, "--permission-prompt-tool", "stdio");
}

/** Images go into the message; other files are named, and Claude Code reads them. */
function promptContent({ prompt, attachments }: RunRequest): string | Json[] {
  if (attachments.length === 0) return prompt;
  const images = attachments.filter(({ mimeType }) => mimeType?.startsWith("image/"));
  const files = attachments.filter((attachment) => !images.includes(attachment));
  return [
    ...images.map(({ path, mimeType }) => ({
      type: "image",
      source: { type: "base64", media_type: mimeType, data: readBytes(path).toString("base64") },
    })),
    { type: "text", text: [prompt, ...files.map(({ path }) => `@${path}`)].join("\n\n") },
  ];
}

function mcpConfig(servers: readonly McpServer[]): string {
  const entries = servers.map(({ name, transport, command, args, env, url, headers }) => [
    name,
    transport === "stdio"
      ? { type: "stdio", command, args, env }
      : { type: transport === "sse" ? "sse" : "http", url, headers },
  ]);
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}
