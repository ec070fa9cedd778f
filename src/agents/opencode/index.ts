/** The adapter of OpenCode; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { forkAt } from "./fork-at.ts";
import { hooks } from "./hooks.ts";
import { history } from "./history.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "opencode",
  displayName: "OpenCode",
  command: "opencode",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "sqlite" },
  history,
  launch: {
    start: { model: "--model", prompt: ["--prompt"] },
    resume: (sessionId) => ["opencode", "--session", sessionId],
    fork: (sessionId) => ["opencode", "--session", sessionId, "--fork"],
    forkAt,
  },
  run,
  hooks,
});
