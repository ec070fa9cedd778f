/** The adapter of Qwen Code; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { forkAt, history } from "./history.ts";
import { hooks } from "./hooks.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "qwen",
  displayName: "Qwen Code",
  command: "qwen",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
  history,
  launch: {
    start: {
      model: "-m",
      prompt: ["--prompt-interactive"],
      modes: {
        plan: ["--approval-mode", "plan"],
        edits: ["--approval-mode", "auto-edit"],
        all: ["--approval-mode", "yolo"],
      },
    },
    resume: (sessionId) => ["qwen", "--resume", sessionId],
    fork: (sessionId) => ["qwen", "--resume", sessionId, "--fork-session"],
    forkAt,
  },
  run,
  hooks,
});
