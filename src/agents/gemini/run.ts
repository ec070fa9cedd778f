/** Gemini CLI without a terminal: `gemini -o stream-json` with the prompt on standard input. */
import { join } from "node:path";
import type { RunSupport } from "../run-support.ts";
import { when, withFiles, withValue } from "../shared/arguments.ts";
import { geminiEvents, GUIDANCE } from "./events.ts";
import { geminiDir } from "./locations.ts";

export const run: RunSupport = {
  honours: ["model", "attachments", "sessionId", "yolo", "deny"],
  refusals: {
    noSession: "Gemini CLI saves every session.",
    maxTurns: "Gemini CLI does not report single model calls, so they cannot be limited.",
    mcpServers: "Gemini CLI takes MCP servers from its own settings only: gemini mcp add.",
  },
  streamsText: true,
  // A hook could ask, but only in a mode that runs everything the hook does not stop. Gemini CLI also ignores settings files in
  // untrusted places, without an error.
  approvals: "Gemini CLI does not ask without a terminal: tools that need approval are refused.",
  credentials: {
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"],
    files: (env) => [join(geminiDir(env), "oauth_creds.json")],
    guidance: GUIDANCE,
  },
  prepare(request, { now }) {
    const { session, cwd, attachments, approvalMode } = request;
    return {
      args: [
        "-o",
        "stream-json",
        ...withValue("-m", request.model),
        ...withValue("--resume", session.kind === "resume" ? session.id : undefined),
        ...withValue("--session-file", session.kind === "fork" ? session.copy?.file : undefined),
        ...when(approvalMode === "yolo", "--approval-mode", "yolo"),
        ...when(approvalMode === "deny", "--approval-mode", "default"),
      ],
      stdin: withFiles(request.prompt, attachments),
      stream: geminiEvents({ cwd, session, now }),
    };
  },
};
