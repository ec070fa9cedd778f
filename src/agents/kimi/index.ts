/** The adapter of Kimi Code; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { history } from "./history.ts";
import { hooks } from "./hooks.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "kimi",
  displayName: "Kimi Code",
  command: "kimi",
  capabilities: { canResume: true, canFork: false, sessionPersistence: "file" },
  history,
  launch: {
    start: { model: "-m", modes: { plan: ["--plan"], all: ["--auto"] } },
    resume: (sessionId) => ["kimi", "--session", sessionId],
    whyNoForkAt: "Kimi Code keeps a session in several files; its own `kimi fork` copies a whole one.",
  },
  run,
  hooks,
});
