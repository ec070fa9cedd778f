/** The adapter of omp; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { hooks } from "./hooks.ts";
import { history } from "./history.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "omp",
  displayName: "omp",
  command: "omp",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
  history,
  launch: {
    start: { model: "--model", prompt: [] },
    resume: (sessionId) => ["omp", "--resume", sessionId],
    fork: (sessionId) => ["omp", "--fork", sessionId],
    forkAt: { open: ({ file }) => ["omp", "--fork", file] },
  },
  run,
  hooks,
});
