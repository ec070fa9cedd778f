/** The hook program as agents start it. */
import { basename } from "node:path";
import type { HookProgram } from "../../core/hooks.ts";
import { shellWord } from "../../lib/text/shell-word.ts";

/** Longer than the program takes at its slowest; agents wait for a hook, and end one that is late. */
export const HOOK_TIMEOUT_SECONDS = 3;

/** For a hook that may wait for its user. It ends by itself as soon as nobody is there who could pass on an answer. */
export const WAITING_HOOK_TIMEOUT_SECONDS = 3600;

/**
 * Outside of amux and tmux nobody listens, and Node is not even started. Else it is, without the options its user has for
 * other programs. When amux or Node are gone nothing is said, and the exit code is 0 all the same.
 */
const CALL = '[ -n "$AMUX_SOCKET$TMUX" ] && NODE_OPTIONS= "$0" "$@" 2>/dev/null || :';

/** A line that any shell understands, because agents use the user's: words in single quotes, nothing else. */
export function hookCommand(program: HookProgram, agent: string, event?: string): string {
  const words = ["/bin/sh", "-c", CALL, program.node, program.script, agent];
  return [...words, ...(event === undefined ? [] : [event])].map(shellWord).join(" ");
}

/** Programs that only start another one. */
const STARTERS: ReadonlySet<string> = new Set([
  "env",
  "nice",
  "nohup",
  "setsid",
  "time",
  "command",
  "npx",
  "bunx",
  "node",
]);

/** Where in a command line the program itself stands; -1 when it starts something else. */
export function programIndex(argv: readonly string[], command: string): number {
  for (const [index, word] of argv.entries()) {
    if (basename(word) === command) return index;
    const leadsOn = STARTERS.has(basename(word)) || /^\w+=/.test(word) || (index > 0 && /^-./.test(word));
    if (!leadsOn || word === "--") return -1;
  }
  return -1;
}
