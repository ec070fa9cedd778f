/** The adapter of Factory Droid; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { history } from "./history.ts";
import { hooks } from "./hooks.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "droid",
  displayName: "Factory Droid",
  command: "droid",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
  history,
  launch: {
    start: {
      prompt: [],
      modes: { plan: ["--use-spec"], edits: ["--auto", "low"], all: ["--auto", "high"] },
    },
    resume: (sessionId) => ["droid", "--resume", sessionId],
    fork: (sessionId) => ["droid", "--fork", sessionId],
    whyNoForkAt: "Droid opens only sessions of its own, and its --fork copies the whole session.",
  },
  run,
  hooks,
});
