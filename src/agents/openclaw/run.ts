/** OpenClaw without a terminal: `openclaw agent --json`, through its gateway. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { RunSupport } from "../run-support.ts";
import { withValue } from "../shared/arguments.ts";
import { GUIDANCE, openclawEvents } from "./events.ts";
import { stateDirectories } from "./locations.ts";

export const run: RunSupport = {
  honours: ["model", "thinkingEffort", "sessionId"],
  refusals: {
    forkSessionId: "OpenClaw makes forks through its gateway's protocol only.",
    noSession: "OpenClaw saves every session.",
    maxTurns: "OpenClaw reports nothing while it works, so its model calls cannot be limited.",
    attachments: "OpenClaw takes no attachments on its command line.",
    mcpServers: "OpenClaw takes MCP servers from its own configuration only.",
    yolo: "What OpenClaw may do is set in its own configuration.",
    deny: "What OpenClaw may do is set in its own configuration.",
  },
  streamsText: false,
  approvals: "OpenClaw asks in its own channels, not here.",
  credentials: {
    variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
    files: (env) =>
      stateDirectories(env).map(({ path }) => join(path, "agents", "main", "agent", "auth-profiles.json")),
    guidance: GUIDANCE,
  },
  prepare(request, { now }) {
    const { session, cwd, thinkingEffort } = request;
    // Without an id every run would use the main session.
    const sessionId = session.kind === "resume" ? session.id : randomUUID();
    return {
      args: [
        "agent",
        "--json",
        "--session-id",
        sessionId,
        ...withValue("--model", request.model),
        ...withValue("--thinking", thinkingEffort === "max" ? "high" : thinkingEffort),
        // One argument, because a prompt may begin with a dash.
        `--message=${request.prompt}`,
      ],
      fallbacks: [NO_EVENTS, ...(thinkingEffort === "max" ? [NO_MAX] : [])],
      stream: openclawEvents({ cwd, session, now }, sessionId),
    };
  },
};

const NO_EVENTS = { capability: "events", reason: "OpenClaw reports its answer only when it is done." };
const NO_MAX = { capability: "thinkingEffort", reason: "OpenClaw is asked for high, the most that every model has." };
