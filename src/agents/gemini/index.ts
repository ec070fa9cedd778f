import { defineAgent, type SessionHead, type SessionSource } from "../adapter.ts";
import { listSessions } from "./discover.ts";
import { documentedDir, geminiDir, projectsDir } from "./places.ts";
import { chatsDirectory } from "./projects.ts";
import { read, summarize, tally } from "./session.ts";

export default defineAgent({
  name: "gemini",
  displayName: "Gemini CLI",
  command: "gemini",
  capabilities: { canResume: true, canFork: false, sessionPersistence: "file" },
  history: {
    roots: (env) => [projectsDir(env), documentedDir(env)],
    sessionDir: (env, cwd) => (cwd === undefined ? undefined : chatsDirectory(geminiDir(env), cwd)) ?? projectsDir(env),
    listSessions,
    summarize,
    read,
    tally,
    lineage: (family) => importedFrom(family),
  },
  launch: {
    resume: (sessionId) => ["gemini", "--resume", sessionId],
  },
});

/** `--session-file` copies a chat under a new id and leaves no pointer: the chat that was begun first is the source. */
function importedFrom(family: readonly { source: SessionSource; head: SessionHead }[]): Map<string, string> {
  const [original, ...copies] = [...family].sort((a, b) => (a.head.startedMs ?? 0) - (b.head.startedMs ?? 0));
  return new Map(original && copies.map((copy) => [copy.source.sessionId, original.source.sessionId]));
}
