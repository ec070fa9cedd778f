/** Grok Build without a terminal: `grok --output-format streaming-json` with the prompt in a file. */
import { join } from "node:path";
import { openedSession, type RunSupport, type SessionChoice } from "../run-support.ts";
import { inOneWord, promptFallbacks, when, withValue } from "../shared/arguments.ts";
import { GUIDANCE, grokEvents } from "./events.ts";
import { grokDir } from "./locations.ts";

export const run: RunSupport = {
  honours: ["model", "systemPrompt", "thinkingEffort", "sessionId", "forkSessionId", "maxTurns", "yolo"],
  refusals: {
    noSession: "Grok Build saves every session.",
    attachments: "Grok Build takes no files on its command line; name them in the prompt.",
    deny: "Grok Build does not ask without a terminal: it runs the tools, and cannot be told to refuse.",
    mcpServers: "Grok Build takes MCP servers from its own configuration only: grok mcp add.",
  },
  streamsText: true,
  approvals: "Grok Build does not ask without a terminal: it runs the tools.",
  sessionVariable: "GROK_SESSION_ID",
  credentials: {
    variables: ["XAI_API_KEY"],
    files: (env) => [join(grokDir(env), "auth.json")],
    guidance: GUIDANCE,
  },
  prepare(request, { now, scratch }) {
    const { session, cwd, systemPrompt } = request;
    const sessionId = openedSession(session) ?? crypto.randomUUID();
    return {
      args: [
        "--prompt-file",
        scratch("prompt.txt", request.prompt),
        "--output-format",
        "streaming-json",
        ...withValue("--model", request.model),
        ...withValue("--reasoning-effort", request.thinkingEffort),
        ...withValue("--max-turns", request.maxTurns),
        ...inOneWord(systemPrompt?.mode === "replace" ? "--system-prompt-override" : "--rules", systemPrompt?.text),
        ...when(request.approvalMode === "yolo", "--always-approve"),
        ...sessionArguments(session, sessionId),
      ],
      fallbacks: promptFallbacks("Grok Build", systemPrompt?.mode),
      stream: grokEvents({ cwd, session, now }, sessionId),
    };
  },
};

function sessionArguments(session: SessionChoice, sessionId: string): string[] {
  if (openedSession(session) !== undefined) return ["--resume", sessionId];
  const origin = session.kind === "fork" ? ["--resume", session.id, "--fork-session"] : [];
  return [...origin, "--session-id", sessionId];
}
