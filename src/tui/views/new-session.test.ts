import { expect, it } from "vitest";
import { typedCommand } from "./new-session.ts";

it.each([
  ["npm test && npm run build", ["/bin/zsh", "-c", "npm test && npm run build"]],
  ["echo hello; sleep 3", ["/bin/zsh", "-c", "echo hello; sleep 3"]],
  ["FOO=1 make", ["/bin/zsh", "-c", "FOO=1 make"]],
  ["ls ~/dev", ["/bin/zsh", "-c", "ls ~/dev"]],
  ['grep "a b" *.ts', ["/bin/zsh", "-c", 'grep "a b" *.ts']],
  ['claude --model opus "fix it; then test"', ["claude", "--model", "opus", "fix it; then test"]],
  ["claude 'what does $HOME mean?'", ["claude", "what does $HOME mean?"]],
  ['claude "what is in $HOME"', ["/bin/zsh", "-c", 'claude "what is in $HOME"']],
  ["say don't", ["/bin/zsh", "-c", "say don't"]],
  ["claude --model opus", ["claude", "--model", "opus"]],
  ["make  -j4 --flag=x", ["make", "-j4", "--flag=x"]],
])("a command line typed for a new session: %s", (line, command) => {
  expect(typedCommand(line, "/bin/zsh")).toEqual(command);
});
