import { defineAgent } from "../adapter.ts";
import { listSessions } from "./discover.ts";
import { read, summarize, tally } from "./history.ts";
import { roots, sessionDir } from "./places.ts";

export default defineAgent({
  name: "omp",
  displayName: "omp",
  command: "omp",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
  history: { roots, sessionDir, listSessions, summarize, read, tally },
  launch: {
    resume: (sessionId) => ["omp", "--resume", sessionId],
    fork: (sessionId) => ["omp", "--fork", sessionId],
  },
});
