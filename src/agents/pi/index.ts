/** The adapter of Pi; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { hooks } from "./hooks.ts";
import { history } from "./history.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "pi",
  displayName: "Pi",
  command: "pi",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
  history,
  launch: {
    start: { model: "--model", prompt: [] },
    resume: (sessionId) => ["pi", "--session", sessionId],
    fork: (sessionId) => ["pi", "--fork", sessionId],
    forkAt: { open: ({ file }) => ["pi", "--fork", file] },
  },
  run,
  hooks,
});
