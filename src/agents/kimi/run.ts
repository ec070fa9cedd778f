/** Kimi Code without a terminal: `kimi --prompt --output-format stream-json`. */
import { join } from "node:path";
import { openedSession, type RunSupport } from "../run-support.ts";
import { withValue } from "../shared/arguments.ts";
import { GUIDANCE, kimiEvents } from "./events.ts";
import { kimiDir } from "./locations.ts";

export const run: RunSupport = {
  honours: ["model", "sessionId", "yolo"],
  refusals: {
    forkSessionId: "Kimi Code forks a session only into one that waits: run kimi fork, then resume the copy.",
    noSession: "Kimi Code saves every session.",
    deny: "Kimi Code runs every tool without a terminal, and cannot be told to refuse.",
    maxTurns: "Kimi Code cannot limit the number of model calls.",
    attachments: "Kimi Code takes only text without a terminal; name the file in the prompt.",
    mcpServers: "Kimi Code takes MCP servers from its own configuration only.",
  },
  streamsText: false,
  approvals: "Kimi Code does not ask without a terminal: it runs every tool.",
  credentials: {
    variables: ["KIMI_API_KEY", "MOONSHOT_API_KEY"],
    files: (env) => [join(kimiDir(env), "credentials"), join(kimiDir(env), "config.toml")],
    guidance: GUIDANCE,
  },
  prepare(request, { now }) {
    const { session, cwd } = request;
    return {
      args: [
        "--output-format",
        "stream-json",
        ...withValue("-m", request.model),
        ...withValue("--session", openedSession(session)),
        // As one word: a prompt may begin with a dash.
        `--prompt=${request.prompt}`,
      ],
      stream: kimiEvents({ cwd, session, now }),
    };
  },
};
