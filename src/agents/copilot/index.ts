/** GitHub Copilot CLI as amux knows it; README.md tells how its files were understood. */
import { defineAgent, type SessionSource } from "../adapter.ts";
import { hooks } from "./hooks.ts";
import type { CopilotLocator } from "./discover.ts";
import { history } from "./history.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "copilot",
  displayName: "GitHub Copilot CLI",
  command: "copilot",
  // Forks are made inside the program, with /fork; no command line makes one.
  capabilities: { canResume: true, canFork: false, sessionPersistence: "file" },
  history,
  launch: {
    resume: (sessionId, source) => (hasEvents(source) ? ["copilot", `--resume=${sessionId}`] : undefined),
  },
  run,
  hooks,
});

/** The program goes on from events only. */
function hasEvents({ locator }: SessionSource): boolean {
  return (locator as CopilotLocator).layout === "events";
}
