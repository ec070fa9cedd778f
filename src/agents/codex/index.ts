import { defineAgent } from "../adapter.ts";
import { forkAt } from "./fork-at.ts";
import { hooks } from "./hooks.ts";
import { history } from "./history.ts";
import { run } from "./run.ts";

/** An id that begins with a dash (a file in the documented place can have any name) must not be parsed as an option. */
function idArgument(sessionId: string): string[] {
  return sessionId.startsWith("-") ? ["--", sessionId] : [sessionId];
}

export default defineAgent({
  name: "codex",
  displayName: "Codex CLI",
  command: "codex",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
  history,
  launch: {
    resume: (sessionId) => ["codex", "resume", ...idArgument(sessionId)],
    fork: (sessionId) => ["codex", "fork", ...idArgument(sessionId)],
    forkAt,
  },
  run,
  hooks,
});
