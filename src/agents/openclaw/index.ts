import { defineAgent } from "../adapter.ts";
import { history } from "./history.ts";

export default defineAgent({
  name: "openclaw",
  displayName: "OpenClaw",
  command: "openclaw",
  // Forks are made through the gateway's protocol only.
  capabilities: { canResume: true, canFork: false, sessionPersistence: "sqlite" },
  history,
  launch: {
    // Looks for the words in session keys and labels; `--session-id demo-1` makes the key `agent:main:explicit:demo-1`.
    resume: (sessionId) => ["openclaw", "resume", sessionId],
  },
});
