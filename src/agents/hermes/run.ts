/** Hermes without a terminal: `hermes -z`, which prints the answer and nothing else. */
import { join } from "node:path";
import type { RunSupport } from "../run-support.ts";
import { nameFiles, when, withValue } from "../shared/arguments.ts";
import { GUIDANCE, hermesEvents } from "./events.ts";
import { defaultHome } from "./locations.ts";

export const run: RunSupport = {
  honours: ["model", "attachments", "sessionId", "maxTurns", "yolo"],
  refusals: {
    forkSessionId: "Hermes makes branches inside a chat only, with /branch.",
    noSession: "Hermes saves every session.",
    mcpServers: "Hermes takes MCP servers from its own configuration only.",
    deny: "Hermes cannot be told to refuse everything; set its approvals in config.yaml.",
  },
  streamsText: true,
  approvals: "Hermes does not ask without a terminal.",
  credentials: {
    variables: ["OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "NOUS_API_KEY"],
    files: (env) => [join(defaultHome(env), "auth.json"), join(defaultHome(env), ".env")],
    guidance: GUIDANCE,
  },
  prepare(request, { scratch, now }) {
    const { session, cwd, attachments } = request;
    const images = attachments.filter(({ mimeType }) => mimeType?.startsWith("image/"));
    const others = attachments.filter((attachment) => !images.includes(attachment));
    const named = nameFiles(
      request.prompt,
      others.map(({ path }) => path),
      "Hermes",
    );
    const usageFile = scratch("usage.json", "");
    return {
      args: [
        ...withValue("-m", request.model),
        ...withValue("--resume", session.kind === "resume" ? session.id : undefined),
        ...withValue("--max-turns", request.maxTurns),
        ...when(request.approvalMode === "yolo", "--yolo"),
        ...images.flatMap(({ path }) => ["--image", path]),
        "--usage-file",
        usageFile,
        // A prompt that begins with a dash would be parsed as an option.
        ...(named.prompt.startsWith("-") ? [`-z${named.prompt}`] : ["-z", named.prompt]),
      ],
      fallbacks: [TEXT_ONLY, ...named.fallbacks],
      stream: hermesEvents({ cwd, session, now }, usageFile),
    };
  },
};

const TEXT_ONLY = { capability: "events", reason: "Hermes prints its answer as text and reports nothing else." };
