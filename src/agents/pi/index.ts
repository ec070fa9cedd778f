import { defineAgent } from "../adapter.ts";
import { listSessions, read, summarize, tally } from "./history.ts";
import { sessionDir, sessionRoots } from "./places.ts";

export default defineAgent({
  name: "pi",
  displayName: "Pi",
  command: "pi",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
  history: { roots: sessionRoots, sessionDir, listSessions, summarize, read, tally },
  launch: {
    resume: (sessionId) => ["pi", "--session", sessionId],
    fork: (sessionId) => ["pi", "--fork", sessionId],
  },
});
