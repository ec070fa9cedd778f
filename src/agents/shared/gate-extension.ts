/** The extension by which Pi and omp ask before they run a tool. */
import type { AskPlace } from "../run-support.ts";
import { askingSource } from "./ask-program.ts";

/** They change nothing. */
const HARMLESS = ["read", "grep", "find", "ls"];

export function gateExtension(place: AskPlace): string {
  return `${askingSource(place)}
const harmless = new Set(${JSON.stringify(HARMLESS)});

export default function (agent) {
  agent.on("tool_call", async (event) => {
    if (harmless.has(event.toolName)) return undefined;
    const { approved, reason } = await ask(event.toolName, event.input);
    return approved ? undefined : { block: true, reason };
  });
}
`;
}
