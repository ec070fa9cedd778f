/**
 * The hook by which Codex asks before it runs a tool, for one start. It only adds to Codex's sandbox: an approval does not allow
 * what the sandbox forbids.
 */
import type { AskEndpoint } from "../run-support.ts";
import { ANSWER_WITHIN_SECONDS, askingSource } from "../shared/ask-program.ts";
import { shellWord } from "../../lib/text/shell-word.ts";
import { commandLineHook } from "./hooks.ts";

/** Codex's name for a hook's refusal. */
const BLOCKED = 2;

export function gateArguments(place: AskEndpoint, scratch: (name: string, content: string) => string): string[] {
  const script = scratch("gate.mjs", source(place));
  // A hook that fails in any other way stops nothing.
  const words = ["/bin/sh", "-c", `"$0" "$1" || exit ${BLOCKED}`, place.node, script];
  const command = words.map(shellWord).join(" ");
  return commandLineHook({ name: "PreToolUse", key: "pre_tool_use" }, command, ANSWER_WITHIN_SECONDS);
}

function source(place: AskEndpoint): string {
  return `import { text } from "node:stream/consumers";
${askingSource(place)}
const { tool_name, tool_input } = JSON.parse(await text(process.stdin));
const { approved, reason } = await ask(tool_name, tool_input);
if (!approved) {
  process.stderr.write(reason);
  process.exitCode = ${BLOCKED};
}
`;
}
