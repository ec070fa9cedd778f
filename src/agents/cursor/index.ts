import { defineAgent } from "../adapter.ts";
import { history } from "./history.ts";

export default defineAgent({
  name: "cursor",
  displayName: "Cursor",
  command: "cursor-agent",
  capabilities: { canResume: true, canFork: false, sessionPersistence: "sqlite" },
  history,
  launch: {
    resume: (sessionId) => ["cursor-agent", "--resume", sessionId],
  },
});
