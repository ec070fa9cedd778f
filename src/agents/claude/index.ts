import { defineAgent } from "../adapter.ts";
import { forkAt } from "./fork-at.ts";
import { hooks } from "./hooks.ts";
import { belongings, listSessions } from "./discover.ts";
import { summarize } from "./summary.ts";
import { limitReadings } from "./limits.ts";
import { lineage } from "./lineage.ts";
import { configDirs, encodeCwd, projectsDirs } from "./locations.ts";
import { run } from "./run.ts";
import { read } from "./session.ts";
import { FOREIGN_TITLE_START } from "./format.ts";
import { join } from "node:path";

export default defineAgent({
  name: "claude",
  displayName: "Claude Code",
  command: "claude",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
  history: {
    roots: projectsDirs,
    sessionDir: (env, cwd) => {
      const projects = join(configDirs(env)[0]!, "projects");
      return cwd === undefined ? projects : join(projects, encodeCwd(cwd));
    },
    listSessions,
    isWitnessed: true,
    summarize,
    read,
    belongings,
    lineage,
    bytes: {
      files: ({ files }) => files.map((file) => file.path),
      foreignTitles: FOREIGN_TITLE_START,
    },
  },
  launch: {
    start: {
      model: "--model",
      vendor: "anthropic",
      prompt: [],
      modes: {
        plan: ["--permission-mode", "plan"],
        edits: ["--permission-mode", "acceptEdits"],
        all: ["--dangerously-skip-permissions"],
      },
    },
    resume: (sessionId) => ["claude", "--resume", sessionId],
    fork: (sessionId) => ["claude", "--resume", sessionId, "--fork-session"],
    forkAt,
  },
  run,
  hooks,
  skills: (env, project) => join(project === undefined ? configDirs(env)[0]! : join(project, ".claude"), "skills"),
  limits: {
    readings: limitReadings,
    unknown:
      "Claude Code (2.1.80 or newer, with a plan) reports them to its status line: amux hooks install claude, then send a prompt.",
  },
});
