/** The adapter of OpenClaw; README.md describes its files. */
import { defineAgent, type Launch, type SessionSource } from "../adapter.ts";
import { locatorOf } from "./found-session.ts";
import { history } from "./history.ts";
import { run } from "./run.ts";

const FORKED_WITHIN_MS = 30_000;

/** Opens a session again by its key, in its install. */
const launch = {
  resume(_sessionId: string, source: SessionSource): string[] | undefined {
    const { key } = locatorOf(source).about;
    return key === undefined ? undefined : resumeOf(source, key);
  },
  // The database belongs to OpenClaw; a running gateway forks sessions on request.
  forkByAsking: {
    ask(source, prompt) {
      const { about, transcript } = locatorOf(source);
      if (about.key === undefined || transcript.kind !== "rows") return undefined;
      if (prompt === undefined) {
        const params = { parentSessionKey: about.key, fork: true };
        return { command: callOf(source, "sessions.create", params), field: "key" };
      }
      const params = { sessionKey: about.key, entryId: prompt };
      return { command: callOf(source, "sessions.fork", params), field: "sessionKey" };
    },
    open: (source, copy) => resumeOf(source, copy),
  },
} satisfies Launch;

// Searches session keys, labels and display names; a session id is in none of them unless the user chose it.
function resumeOf(source: SessionSource, key: string): string[] {
  return [...programOf(source), "resume", key];
}

function callOf(source: SessionSource, method: string, params: object): string[] {
  const timeout = ["--timeout", String(FORKED_WITHIN_MS)];
  return [...programOf(source), "gateway", "call", method, "--json", ...timeout, "--params", JSON.stringify(params)];
}

function programOf(source: SessionSource): string[] {
  const { profile } = locatorOf(source).about;
  return ["openclaw", ...(profile === undefined ? [] : ["--profile", profile])];
}

export default defineAgent({
  name: "openclaw",
  displayName: "OpenClaw",
  command: "openclaw",
  // By its gateway, while it runs.
  capabilities: { canResume: true, canFork: true, sessionPersistence: "sqlite" },
  whyNoHooks:
    "its plug-ins run in the gateway, which does not know the terminals its clients are in, and are not called in `openclaw chat`",
  history,
  launch,
  run,
});
