/** The adapter of OpenCode; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { forkAtOf } from "../shared/opencode/fork-at.ts";
import { history } from "./history.ts";
import { hooks } from "./hooks.ts";
import { OPENCODE } from "./product.ts";
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
    forkAt: forkAtOf(OPENCODE),
  },
  run,
  hooks,
});
