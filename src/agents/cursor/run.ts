/**
 * The Cursor CLI without a terminal: `cursor-agent -p --output-format stream-json`. Based on its documentation, not on
 * runs.
 */
import { join } from "node:path";
import { configHome } from "../../lib/fs/paths.ts";
import type { RunSupport } from "../run-support.ts";
import { when, withValue } from "../shared/arguments.ts";
import { cursorEvents, GUIDANCE } from "./events.ts";

export const run: RunSupport = {
  honours: ["model", "sessionId", "yolo", "deny"],
  refusals: {
    forkSessionId: "The Cursor CLI has no forks.",
    noSession: "The Cursor CLI saves every session.",
    maxTurns: "The Cursor CLI does not report single model calls, so they cannot be limited.",
    attachments: "The Cursor CLI takes no attachments; name the files in the prompt.",
    mcpServers: "The Cursor CLI takes MCP servers from .cursor/mcp.json only.",
  },
  streamsText: false,
  approvals: "The Cursor CLI does not ask when it prints: what needs approval is refused.",
  credentials: {
    variables: ["CURSOR_API_KEY"],
    files: (env) => [join(configHome(env), "cursor", "auth.json")],
    guidance: GUIDANCE,
  },
  prepare(request, { now }) {
    const { session, cwd } = request;
    return {
      args: [
        "-p",
        "--output-format",
        "stream-json",
        ...withValue("--model", request.model),
        ...withValue("--resume", session.kind === "resume" ? session.id : undefined),
        // Without it, calls that need approval are refused.
        ...when(request.approvalMode === "yolo", "--force"),
        "--",
        request.prompt,
      ],
      stream: cursorEvents({ cwd, session, now }),
    };
  },
};
