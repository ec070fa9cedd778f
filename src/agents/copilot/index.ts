/** GitHub Copilot CLI as amux knows it; README.md tells how its files were understood. */
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
    resume: (sessionId, source) => (hasEvents(source) ? ["copilot", `--resume=${sessionId}`] : undefined),
    forkAt,
  },
  run,
  hooks,
});

/** The program goes on from events only. */
function hasEvents({ locator }: SessionSource): boolean {
  return (locator as CopilotLocator).layout === "events";
}
