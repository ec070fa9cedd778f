/** The adapter of Gemini CLI; README.md describes how its files were analysed. */
import { defineAgent, type SessionSource } from "../adapter.ts";
import { forkAt, history } from "./history.ts";
import { hooks } from "./hooks.ts";
import type { GeminiLocator } from "./discover.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "gemini",
  displayName: "Gemini CLI",
  command: "gemini",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
  history,
  launch: {
    start: {
      model: "-m",
      vendor: "google",
      prompt: ["--prompt-interactive"],
      modes: {
        plan: ["--approval-mode", "plan"],
        edits: ["--approval-mode", "auto_edit"],
        all: ["--approval-mode", "yolo"],
      },
    },
    resume: (sessionId, source) => (isResumable(source) ? ["gemini", "--resume", sessionId] : undefined),
    forkAt,
  },
  run,
  hooks,
});

/** Gemini CLI cannot open its sub-agents' chats or what 0.2.2 left. */
function isResumable({ locator }: SessionSource): boolean {
  const { parentId, saved } = locator as GeminiLocator;
  return parentId === undefined && saved === undefined;
}
