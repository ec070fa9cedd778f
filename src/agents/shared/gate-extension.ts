/** The extension by which Pi and omp ask before they run a tool. */
import type { AskEndpoint } from "../run-support.ts";
import { askingSource } from "./ask-program.ts";

/** `harmless` are the tools that change nothing. */
export function gateExtension(place: AskEndpoint, harmless: readonly string[]): string {
  return `${askingSource(place)}
const harmless = new Set(${JSON.stringify(harmless)});

export default function (agent) {
  agent.on("tool_call", async (event) => {
    if (harmless.has(event.toolName)) return undefined;
    const { approved, reason } = await ask(event.toolName, event.input);
    return approved ? undefined : { block: true, reason };
  });
}
`;
}
