import { defineAgent } from "../adapter.ts";

export default defineAgent({
  name: "claude",
  displayName: "Claude Code",
  command: "claude",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
});
