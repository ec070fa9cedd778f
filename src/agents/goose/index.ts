/** The adapter of Goose; README.md describes its files. */
import { defineAgent, type Launch } from "../adapter.ts";
import { history } from "./history.ts";

const launch = {
  resume: (sessionId) => ["goose", "session", "--resume", "--session-id", sessionId],
  fork: (sessionId) => ["goose", "session", "--resume", "--fork", "--session-id", sessionId],
  whyNoForkAt:
    "All its sessions are in one database, which only it may write to, and its --fork copies the whole of one.",
} satisfies Launch;

export default defineAgent({
  name: "goose",
  displayName: "Goose",
  command: "goose",
  isExperimental: true,
  capabilities: { canResume: true, canFork: true, sessionPersistence: "sqlite" },
  history,
  launch,
});
