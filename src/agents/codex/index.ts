import { join } from "node:path";
import { defineAgent } from "../adapter.ts";
import { forkAt } from "./fork-at.ts";
import { hooks } from "./hooks.ts";
import { history } from "./history.ts";
import { limitReadings } from "./limits.ts";
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
    start: {
      model: "-m",
      vendor: "openai",
      prompt: [],
      modes: {
        plan: ["--sandbox", "read-only"],
        edits: ["--sandbox", "workspace-write", "--ask-for-approval", "on-request"],
        all: ["--dangerously-bypass-approvals-and-sandbox"],
      },
    },
    resume: (sessionId) => ["codex", "resume", ...idArgument(sessionId)],
    fork: (sessionId) => ["codex", "fork", ...idArgument(sessionId)],
    forkAt,
  },
  run,
  hooks,
  // Independent of CODEX_HOME.
  skills: (env, project) => join(project ?? env.home, ".agents", "skills"),
  limits: {
    readings: limitReadings,
    unknown: "Codex writes them into its sessions when you are signed in with a plan.",
  },
});
