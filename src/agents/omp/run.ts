/** omp without a terminal: `omp -p --mode json` with the prompt on standard input. */
import { dirname, join } from "node:path";
import type { RunSupport } from "../run-support.ts";
import { when, withValue } from "../shared/arguments.ts";
import { gateExtension } from "../shared/gate-extension.ts";
import { treeEvents } from "../shared/tree-events.ts";
import { sessionDir } from "./places.ts";

const GUIDANCE = "Run omp and sign in with /login, or set the API key of a provider.";

/** They change nothing. */
const HARMLESS = ["read", "search", "grep", "ast_grep", "find", "ls", "todo_write", "calc", "recall"];

export const run: RunSupport = {
  honours: [
    "model",
    "systemPrompt",
    "attachments",
    "thinkingEffort",
    "sessionId",
    "forkSessionId",
    "noSession",
    "maxTurns",
    "yolo",
  ],
  refusals: { mcpServers: "omp takes MCP servers from its own configuration only." },
  streamsText: true,
  approvals: true,
  gated: true,
  credentials: {
    variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
    // Keys and tokens lie in the database beside the sessions.
    files: (env) => [join(dirname(sessionDir(env)), "agent.db")],
    guidance: GUIDANCE,
  },
  prepare(request, { now, ask, scratch }) {
    const { session, cwd, systemPrompt } = request;
    return {
      args: [
        "-p",
        "--mode",
        "json",
        ...withValue("-e", ask && scratch("gate.ts", gateExtension(ask, HARMLESS))),
        ...withValue("--model", request.model),
        ...withValue("--thinking", request.thinkingEffort),
        ...withValue("--resume", session.kind === "resume" ? session.id : undefined),
        ...withValue("--fork", session.kind === "fork" ? session.id : undefined),
        ...when(session.kind === "none", "--no-session"),
        ...when(request.approvalMode === "yolo", "--auto-approve"),
        ...withValue(
          systemPrompt?.mode === "replace" ? "--system-prompt" : "--append-system-prompt",
          systemPrompt?.text,
        ),
        ...request.attachments.map(({ path }) => `@${path}`),
      ],
      stdin: request.prompt,
      stream: treeEvents({ cwd, session, now }, GUIDANCE),
    };
  },
};
