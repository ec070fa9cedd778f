/** Codex without a terminal: `codex exec --json` with the prompt on standard input. */
import { join } from "node:path";
import { directoryFrom } from "../../lib/fs/paths.ts";
import { openedSession, type RunRequest, type RunSupport, type SessionChoice } from "../run-support.ts";
import { nameFiles, when, withValue } from "../shared/arguments.ts";
import { codexEvents, GUIDANCE } from "./events.ts";
import { gateArguments } from "./gate.ts";

export const run: RunSupport = {
  honours: ["model", "attachments", "thinkingEffort", "sessionId", "forkSessionId", "noSession", "yolo", "deny"],
  refusals: {
    maxTurns: "Codex does not report single model calls, so they cannot be limited.",
    mcpServers: "Codex takes MCP servers from its own configuration only: codex mcp add.",
  },
  streamsText: false,
  approvals: true,
  gated: true,
  credentials: {
    variables: ["CODEX_API_KEY", "OPENAI_API_KEY"],
    files: (env) => [join(directoryFrom(env, "CODEX_HOME") ?? join(env.home, ".codex"), "auth.json")],
    guidance: GUIDANCE,
  },
  prepare(request, { now, ask, scratch }) {
    const { session, cwd, attachments } = request;
    const images = attachments.filter(({ mimeType }) => mimeType?.startsWith("image/"));
    const others = attachments.filter((attachment) => !images.includes(attachment));
    const named = nameFiles(
      request.prompt,
      others.map(({ path }) => path),
      "Codex",
    );
    return {
      // Options precede resume and fork, which accept none of them.
      args: [
        "exec",
        "--json",
        ...(ask === undefined ? [] : gateArguments(ask, scratch)),
        ...withValue("-m", request.model),
        ...withValue("-c", effortSetting(request)),
        ...when(request.approvalMode === "yolo", "--dangerously-bypass-approvals-and-sandbox"),
        ...when(request.approvalMode === "deny", "-s", "read-only"),
        ...when(session.kind === "none", "--ephemeral"),
        ...images.map(({ path }) => `--image=${path}`),
        ...sessionArguments(session),
        "-",
      ],
      stdin: named.prompt,
      fallbacks: [...named.fallbacks, ...(request.thinkingEffort === "max" ? [NO_MAX] : [])],
      stream: codexEvents({ cwd, session, now }),
    };
  },
};

function sessionArguments(session: SessionChoice): string[] {
  const opened = openedSession(session);
  if (opened !== undefined) return ["resume", opened];
  return session.kind === "fork" ? ["fork", session.id] : [];
}

const NO_MAX = { capability: "thinkingEffort", reason: "Codex knows no effort above high." };

function effortSetting({ thinkingEffort }: RunRequest): string | undefined {
  if (thinkingEffort === undefined) return undefined;
  return `model_reasoning_effort=${thinkingEffort === "max" ? "high" : thinkingEffort}`;
}
