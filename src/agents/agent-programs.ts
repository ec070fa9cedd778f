/** Agents by their programs, as these stand in a list of processes. */
import { basename } from "node:path";
import { AGENT_PROGRAMS } from "./agent-programs.gen.ts";

/** Programs that run the one named after them. */
const CARRIERS = /^(?:env|node|bun|deno|npx|bunx|sh|bash|dash|zsh|python[\d.]*)$/;

/** Undefined when it is no agent. A title that a program gave itself is its whole command line. */
export function agentOfCommand(argv: readonly string[]): string | undefined {
  for (const word of argv) {
    const name = basename(word).replace(/\.[cm]?js$/, "");
    if (Object.hasOwn(AGENT_PROGRAMS, name)) return AGENT_PROGRAMS[name];
    if (!CARRIERS.test(name) && !word.startsWith("-") && !/^\w+=/.test(word)) return undefined;
    // What follows `-c` or `-e` is program text.
    if (/^-\w*[ce]$/.test(word)) return undefined;
  }
  return undefined;
}
