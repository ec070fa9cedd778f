/** Agents by their programs, as these stand in a command line or a list of processes. */
import { basename } from "node:path";
import { AGENT_PROGRAMS } from "./agent-programs.gen.ts";

/** Programs that run the one named after them. */
const CARRIERS = /^(?:env|nice|nohup|setsid|time|command|node|bun|deno|npx|bunx|sh|bash|dash|zsh|python[\d.]*)$/;

/** Undefined when it is no agent. A title that a program gave itself is its whole command line. */
export function agentOfCommand(
  argv: readonly string[],
  programs: Readonly<Record<string, string>> = AGENT_PROGRAMS,
): string | undefined {
  for (const word of argv) {
    const name = basename(word).replace(/\.[cm]?js$/, "");
    if (Object.hasOwn(programs, name)) return programs[name];
    // Options and variables of what carries it; a number is an option's, as in `nice -n 5`.
    if (!CARRIERS.test(name) && !/^(?:-.|\w+=|\d+$)/.test(word)) return undefined;
    // What follows `-c` or `-e` is program text.
    if (/^-\w*[ce]$/.test(word)) return undefined;
  }
  return undefined;
}
