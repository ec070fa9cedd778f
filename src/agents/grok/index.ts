/** The adapter of Grok Build; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { history } from "./history.ts";
import { hooks } from "./hooks.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "grok",
  displayName: "Grok Build",
  command: "grok",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
  history,
  launch: {
    start: {
      model: "--model",
      vendor: "xai",
      prompt: ["--"],
      modes: {
        plan: ["--permission-mode", "plan"],
        edits: ["--permission-mode", "acceptEdits"],
        all: ["--always-approve"],
      },
    },
    resume: (sessionId) => ["grok", "--resume", sessionId],
    fork: (sessionId) => ["grok", "--resume", sessionId, "--fork-session"],
    whyNoForkAt: "A session of Grok Build is a folder of files that have to agree, and only Grok Build writes them.",
  },
  run,
  hooks,
});
