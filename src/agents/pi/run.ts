/** Pi without a terminal: `pi -p --mode json` with the prompt on standard input. */
import { join } from "node:path";
import type { RunSupport } from "../run-support.ts";
import { prepareTreeRun } from "../shared/tree-run.ts";
import { agentDir } from "./locations.ts";

const GUIDANCE = "Run pi and sign in with /login, or set the API key of a provider.";

/** Tools that change no files. */
const HARMLESS = ["read", "grep", "find", "ls"];

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
    // Nobody is asked, so everything is approved.
    "yolo",
  ],
  streamsText: true,
  sessionVariable: "PI_SESSION_ID",
  refusals: {
    deny: "Pi asks for no approval: it runs every tool, and cannot be told to refuse.",
    mcpServers: "Pi has no MCP servers.",
  },
  approvals: true,
  gated: true,
  credentials: {
    variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
    files: (env) => [join(agentDir(env), "auth.json")],
    guidance: GUIDANCE,
  },
  prepare: (request, context) =>
    prepareTreeRun(request, context, { resumeOption: "--session", harmless: HARMLESS, guidance: GUIDANCE }),
};
