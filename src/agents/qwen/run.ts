/** Qwen Code without a terminal: `qwen -o stream-json` with the prompt on standard input. */
import { join } from "node:path";
import type { RunSupport } from "../run-support.ts";
import { openedSession } from "../run-support.ts";
import { inOneWord, promptFallbacks, when, withFiles, withValue } from "../shared/arguments.ts";
import { GUIDANCE, qwenEvents } from "./events.ts";
import { qwenDir } from "./locations.ts";

export const run: RunSupport = {
  honours: [
    "model",
    "systemPrompt",
    "attachments",
    "sessionId",
    "forkSessionId",
    "noSession",
    "maxTurns",
    "yolo",
    "deny",
  ],
  refusals: { mcpServers: "Qwen Code takes MCP servers from its own settings: qwen mcp add." },
  streamsText: true,
  approvals: "Qwen Code does not ask without a terminal: tools that need approval are refused.",
  credentials: {
    variables: ["OPENAI_API_KEY", "DASHSCOPE_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY"],
    files: (env) => [join(qwenDir(env), "oauth_creds.json")],
    guidance: GUIDANCE,
  },
  prepare(request, { now }) {
    const { session, cwd, systemPrompt, attachments, approvalMode, streams } = request;
    const isWholeFork = session.kind === "fork" && session.copy === undefined;
    return {
      args: [
        "-o",
        "stream-json",
        ...when(streams, "--include-partial-messages"),
        ...withValue("-m", request.model),
        ...withValue("--resume", isWholeFork ? session.id : openedSession(session)),
        ...when(isWholeFork, "--fork-session"),
        ...when(session.kind === "none", "--no-chat-recording"),
        ...inOneWord(
          systemPrompt?.mode === "replace" ? "--system-prompt" : "--append-system-prompt",
          systemPrompt?.text,
        ),
        ...withValue("--max-session-turns", request.maxTurns),
        ...when(approvalMode === "yolo", "--approval-mode", "yolo"),
        ...when(approvalMode === "deny", "--approval-mode", "default"),
      ],
      stdin: withFiles(request.prompt, attachments),
      fallbacks: promptFallbacks("Qwen Code", systemPrompt?.mode),
      stream: qwenEvents({ cwd, session, now }),
    };
  },
};
