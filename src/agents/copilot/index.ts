import { defineAgent, type SessionHead, type SessionSource } from "../adapter.ts";
import { type CopilotLocator, listSessions } from "./discover.ts";
import { documentedDir, historyStateDir, sessionStateDir, storePath } from "./places.ts";
import { read, summarize, tally } from "./session.ts";

export default defineAgent({
  name: "copilot",
  displayName: "GitHub Copilot CLI",
  command: "copilot",
  // Forks are made inside the program, with /fork; no command line makes one.
  capabilities: { canResume: true, canFork: false, sessionPersistence: "file" },
  history: {
    roots: (env) => [sessionStateDir(env), historyStateDir(env), documentedDir(env), storePath(env)],
    sessionDir: sessionStateDir,
    listSessions,
    summarize,
    read,
    tally,
    lineage: (family) => forkParents(family),
  },
  launch: {
    resume: (sessionId, source) => (hasEvents(source) ? ["copilot", `--resume=${sessionId}`] : undefined),
  },
});

/** The program goes on from events only. */
function hasEvents({ locator }: SessionSource): boolean {
  return (locator as CopilotLocator).layout === "events";
}

/**
 * The note that names a fork's parent stands where the copy ends, which a look at head and tail can miss. Of sessions
 * that share their first prompt, the one begun first is the original.
 */
function forkParents(family: readonly { source: SessionSource; head: SessionHead }[]): Map<string, string> {
  const [original, ...forks] = [...family].sort((a, b) => (a.head.startedMs ?? 0) - (b.head.startedMs ?? 0));
  return new Map(
    original && forks.map(({ source, head }) => [source.sessionId, head.forkedFrom ?? original.source.sessionId]),
  );
}
