/** The Cline CLI without a terminal: `cline --acp`. Its other output, `--json`, names no session. */
import type { RunSupport } from "../run-support.ts";
import { acpRun, type AcpAgent } from "../shared/acp.ts";
import { when } from "../shared/arguments.ts";
import { failureIn } from "./format.ts";
import { providersFile } from "./locations.ts";

const CLINE: AcpAgent = {
  tools: {
    tools: { editor: { is: "file_patch", path: "path" }, run_commands: { is: "shell", command: "commands" } },
  },
  guidance:
    "Run cline auth and sign in with Cline or ChatGPT, or set CLINE_API_KEY and CLINE_PROVIDER. Other saved keys are not used without a terminal.",
  // `run_commands: ls src`.
  toolName: (title) => title.split(":", 1)[0]!,
  failureIn,
};

export const run: RunSupport = {
  honours: ["model", "sessionId", "yolo", "deny"],
  refusals: {
    noSession: "The Cline CLI saves every session.",
    attachments: "The Cline CLI takes no files without a terminal; name them in the prompt.",
    maxTurns: "The Cline CLI does not report single model calls, so they cannot be limited.",
    mcpServers: "The Cline CLI takes MCP servers from its own settings only: cline mcp add.",
  },
  streamsText: true,
  approvals: true,
  credentials: {
    variables: ["CLINE_API_KEY"],
    files: (env) => [providersFile(env)],
    guidance: CLINE.guidance,
  },
  prepare: (request, { now }) => ({
    args: ["--acp", ...when(request.approvalMode === "yolo", "--auto-approve", "true")],
    ...acpRun(CLINE, request, now),
  }),
};
