/** The adapter of GitHub Copilot CLI; README.md describes its files. */
import { defineAgent, type SessionSource } from "../adapter.ts";
import { forkAt } from "./fork-at.ts";
import { hooks } from "./hooks.ts";
import type { CopilotLocator } from "./discover.ts";
import { history } from "./history.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "copilot",
  displayName: "GitHub Copilot CLI",
  command: "copilot",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
  history,
  launch: {
    start: { model: "--model", prompt: ["--interactive"], modes: { all: ["--allow-all-tools"] } },
    resume: (sessionId, source) => (hasEvents(source) ? ["copilot", `--resume=${sessionId}`] : undefined),
    forkAt,
  },
  run,
  hooks,
});

/** Only sessions with events can be resumed. */
function hasEvents({ locator }: SessionSource): boolean {
  return (locator as CopilotLocator).layout === "events";
}
