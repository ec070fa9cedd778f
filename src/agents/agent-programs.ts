/** Agents by program name, as in a command line or a process list. */
import { basename } from "node:path";
import { AGENT_PROGRAMS } from "./agent-programs.gen.ts";

/** Programs that run the program named after them. */
const CARRIERS = /^(?:env|nice|nohup|setsid|time|command|node|bun|deno|npx|bunx|sh|bash|dash|zsh|python[\d.]*)$/;

/** Undefined if it is not an agent. A process title is the whole command line. */
export function agentOfCommand(
  argv: readonly string[],
  programs: Readonly<Record<string, string>> = AGENT_PROGRAMS,
): string | undefined {
  for (const word of argv) {
    const name = basename(word).replace(/\.[cm]?js$/, "");
    if (Object.hasOwn(programs, name)) return programs[name];
    // Options and variables of the wrapper; a number is an option's value, as in `nice -n 5`.
    if (!CARRIERS.test(name) && !/^(?:-.|\w+=|\d+$)/.test(word)) return undefined;
    // The argument of `-c` or `-e` is program text.
    if (/^-\w*[ce]$/.test(word)) return undefined;
  }
  return undefined;
}
