/** omp without a terminal: `omp -p --mode json` with the prompt on standard input. */
import { dirname, join } from "node:path";
import type { RunSupport } from "../run-support.ts";
import { prepareTreeRun } from "../shared/tree-run.ts";
import { sessionDir } from "./locations.ts";

const GUIDANCE = "Run omp and sign in with /login, or set the API key of a provider.";

/** Tools that change no files. */
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
    // Keys and tokens are in the database beside the sessions.
    files: (env) => [join(dirname(sessionDir(env)), "agent.db")],
    guidance: GUIDANCE,
  },
  prepare: (request, context) =>
    prepareTreeRun(request, context, {
      resumeOption: "--resume",
      yoloOption: "--auto-approve",
      harmless: HARMLESS,
      guidance: GUIDANCE,
    }),
};
