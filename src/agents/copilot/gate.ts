/**
 * The plug-in through which Copilot asks for approval, for one start. Without a terminal Copilot refuses by default, so
 * a failed or killed hook allows nothing.
 */
import type { AskEndpoint, RunContext } from "../run-support.ts";
import { ANSWER_WITHIN_SECONDS, askingSource } from "../shared/ask-program.ts";
import { shellWord } from "../../lib/text/shell-word.ts";

export function gatePlugin(
  place: AskEndpoint,
  scratch: RunContext["scratch"],
  scratchFolder: RunContext["scratchFolder"],
): string {
  const bash = [place.node, scratch("gate.mjs", source(place))].map(shellWord).join(" ");
  const hook = { type: "command", bash, timeoutSec: ANSWER_WITHIN_SECONDS };
  return scratchFolder("plugin", {
    "plugin.json": JSON.stringify({ name: "amux-gate", version: "1.0.0", hooks: "hooks.json" }),
    "hooks.json": JSON.stringify({ version: 1, hooks: { permissionRequest: [hook] } }),
  });
}

function source(place: AskEndpoint): string {
  return `import { text } from "node:stream/consumers";
${askingSource(place)}
const { toolName, toolInput } = JSON.parse(await text(process.stdin));
const { approved, reason } = await ask(toolName, toolInput);
console.log(JSON.stringify(approved ? { behavior: "allow" } : { behavior: "deny", message: reason }));
`;
}
