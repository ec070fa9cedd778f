import { expect, it } from "vitest";
import { agentOfCommand } from "./agent-programs.ts";

it.each([
  [["claude"], "claude"],
  [["node", "/usr/local/bin/codex", "--yolo"], "codex"],
  [["/usr/bin/node", "--max-old-space-size=4096", "/opt/gemini.js"], "gemini"],
  [["python3.12", "/home/u/.local/bin/hermes"], "hermes"],
  [["env", "A=1", "cursor-agent"], "cursor"],
  [["/bin/bash", "/home/u/bin/pi"], "pi"],
  [["nice", "-n", "5", "claude"], "claude"],
  [["npx", "-y", "codex"], "codex"],
])("%j is %s", (argv, agent) => {
  expect(agentOfCommand(argv)).toBe(agent);
});

it.each([
  [["vim", "claude"]],
  [["env", "A=1", "less", "/opt/bin/claude"]],
  [["code", "--new-window", "."]],
  [["bash"]],
  [["bash", "-c", "claude"]],
  [["node", "server.js", "codex"]],
  [[]],
])("%j is none", (argv) => {
  expect(agentOfCommand(argv)).toBeUndefined();
});
