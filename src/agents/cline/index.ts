/** The adapter of the Cline CLI; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { history } from "./history.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "cline",
  displayName: "Cline CLI",
  command: "cline",
  capabilities: { canResume: true, canFork: false, sessionPersistence: "file" },
  history,
  launch: {
    start: { model: "--model", prompt: ["--tui"], modes: { plan: ["--plan"], all: ["--auto-approve", "true"] } },
    resume: (sessionId) => ["cline", "--tui", "--id", sessionId],
    whyNoForkAt: "The Cline CLI forks with its own command /fork only.",
  },
  run,
  whyNoHooks: "a background program runs them, for all terminals alike",
});
