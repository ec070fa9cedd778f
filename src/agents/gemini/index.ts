import { defineAgent, type SessionHead, type SessionSource } from "../adapter.ts";
import { type GeminiLocator, listSessions } from "./discover.ts";
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
    resume: (sessionId, source) => (isResumable(source) ? ["gemini", "--resume", sessionId] : undefined),
  },
});

/** The program offers neither its sub-agents' chats nor what 0.2.2 left. */
function isResumable({ locator }: SessionSource): boolean {
  const { parentId, saved } = locator as GeminiLocator;
  return parentId === undefined && saved === undefined;
}

/** `--session-file` copies a chat under a new id and leaves no pointer: the chat that was begun first is the source. */
function importedFrom(family: readonly { source: SessionSource; head: SessionHead }[]): Map<string, string> {
  const [original, ...copies] = [...family].sort((a, b) => (a.head.startedMs ?? 0) - (b.head.startedMs ?? 0));
  return new Map(original && copies.map((copy) => [copy.source.sessionId, original.source.sessionId]));
}
