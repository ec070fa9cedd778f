/** The adapter of Kilo; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { forkAtOf } from "../shared/opencode/fork-at.ts";
import { history } from "./history.ts";
import { hooks } from "./hooks.ts";
import { KILO } from "./product.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "kilo",
  displayName: "Kilo",
  command: "kilo",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "sqlite" },
  history,
  launch: {
    start: { model: "--model", prompt: ["--prompt"] },
    resume: (sessionId) => ["kilo", "--session", sessionId],
    fork: (sessionId) => ["kilo", "--session", sessionId, "--fork"],
    forkAt: forkAtOf(KILO),
  },
  run,
  hooks,
});
