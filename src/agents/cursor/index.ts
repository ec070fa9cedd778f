/** The adapter of Cursor; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { isCliChat } from "./discover.ts";
import { history } from "./history.ts";
import { hooks } from "./hooks.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "cursor",
  displayName: "Cursor",
  command: "cursor-agent",
  capabilities: { canResume: true, canFork: false, sessionPersistence: "sqlite" },
  history,
  launch: {
    start: { model: "--model", prompt: [], modes: { all: ["--force"] } },
    resume: (sessionId, source) => (isCliChat(source) ? ["cursor-agent", "--resume", sessionId] : undefined),
    whyNoForkAt: "Its chats are databases in an unpublished format, which amux does not write.",
  },
  run,
  hooks,
});
