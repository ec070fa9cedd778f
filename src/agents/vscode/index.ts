/** The adapter of VS Code's Copilot chat; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { history } from "./history.ts";

export default defineAgent({
  name: "vscode",
  displayName: "VS Code Copilot chat",
  // `code` opens windows, and is an editor first: starting it is not starting a chat.
  command: "",
  isExperimental: true,
  capabilities: { canResume: false, canFork: false, sessionPersistence: "file" },
  history,
  launch: { whyNoForkAt: "VS Code opens its chats only in its own window." },
});
