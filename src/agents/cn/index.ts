/** The adapter of Continue's `cn`; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { history } from "./history.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "cn",
  displayName: "Continue",
  command: "cn",
  capabilities: { canResume: false, canFork: true, sessionPersistence: "file" },
  history,
  launch: {
    start: { model: "--model", prompt: [], modes: { plan: ["--readonly"], all: ["--auto"] } },
    fork: (sessionId) => ["cn", "--fork", sessionId],
    whyNoForkAt: "Continue copies whole sessions only (cn --fork).",
  },
  run,
  whyNoHooks: "amux does not use its hooks; its screen shows what it asks",
});
