import { defineAgent } from "../adapter.ts";
import { history } from "./history.ts";
import { isCliChat } from "./listing.ts";

export default defineAgent({
  name: "cursor",
  displayName: "Cursor",
  command: "cursor-agent",
  capabilities: { canResume: true, canFork: false, sessionPersistence: "sqlite" },
  history,
  launch: {
    resume: (sessionId, source) => (isCliChat(source) ? ["cursor-agent", "--resume", sessionId] : undefined),
  },
});
