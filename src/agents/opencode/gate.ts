/** The plug-in through which OpenCode asks before it runs a tool. For one start, a variable adds it to the settings. */
import { pathToFileURL } from "node:url";
import type { AgentEnv } from "../adapter.ts";
import type { AskEndpoint } from "../run-support.ts";
import { askingSource } from "../shared/ask-program.ts";
import { CONTENT_VARIABLE, settingsWithPlugin } from "./plugin-settings.ts";

/** Tools that change no files. */
const HARMLESS = ["read", "grep", "glob", "list", "todoread", "todowrite", "skill"];

/** Environment variables for the start; undefined if the user's own settings there cannot be extended. */
export function gateVariables(
  env: AgentEnv,
  place: AskEndpoint,
  scratch: (name: string, content: string) => string,
): Record<string, string> | undefined {
  const settings = settingsWithPlugin(env, () => pathToFileURL(scratch("gate.js", source(place))).href);
  return settings === undefined ? undefined : { [CONTENT_VARIABLE]: settings };
}

function source(place: AskEndpoint): string {
  return `${askingSource(place)}
const harmless = new Set(${JSON.stringify(HARMLESS)});

export const AmuxGate = async () => ({
  "tool.execute.before": async (input, output) => {
    if (harmless.has(input.tool)) return;
    const { approved, reason } = await ask(input.tool, output.args);
    if (!approved) throw new Error(reason);
  },
});
`;
}
