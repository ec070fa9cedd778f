/** The command line of the hook program. */
import { basename } from "node:path";
import type { HookProgram } from "../../core/hooks.ts";
import { shellWord } from "../../lib/text/shell-word.ts";

/** Longer than the program's slowest run; agents wait for a hook, and kill a late one. */
export const HOOK_TIMEOUT_SECONDS = 3;

/** For a hook that may wait for the user. It exits as soon as nobody can pass on an answer. */
export const WAITING_HOOK_TIMEOUT_SECONDS = 3600;

/**
 * Outside of amux and tmux nobody listens, so Node is not started. Otherwise Node starts without the user's options for it,
 * and without extra certificates: reading them takes three times as long as the rest, and a hook speaks to this machine only. If
 * amux or Node is gone, there is no output, and the exit code is 0.
 */
const CALL = '[ -n "$AMUX_SOCKET$TMUX" ] && NODE_OPTIONS= NODE_EXTRA_CA_CERTS= "$0" "$@" 2>/dev/null || :';

/** The same without names of variables, for an agent that calls no hook whose variables are not all set. */
const NAMELESS_CALL = CALL.replace("$AMUX_SOCKET$TMUX", "$(printenv AMUX_SOCKET; printenv TMUX)");

/** A line that any shell understands, because agents use the user's shell: only words in single quotes. */
export function hookCommand(program: HookProgram, agent: string, event?: string): string {
  const words = ["/bin/sh", "-c", CALL, program.node, program.script, agent];
  return [...words, ...(event === undefined ? [] : [event])].map(shellWord).join(" ");
}

export function namelessHookCommand({ node, script }: HookProgram, agent: string): string {
  return ["/bin/sh", "-c", NAMELESS_CALL, node, script, agent].map(shellWord).join(" ");
}

/** If amux or Node is gone, the user's own line still shows: the fourth word after Node, given as `--with <command>`. */
const LINE = 'NODE_OPTIONS= "$0" "$@" 2>/dev/null || /bin/sh -c "${4:-:}"';

/** The command of a status line, to which `--with` and the user's own can be added. */
export function statusLineCommand(program: HookProgram): string {
  return ["/bin/sh", "-c", LINE, program.node, program.script, "statusline"].map(shellWord).join(" ");
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

/** The index of the program itself in a command line; -1 if it starts something else. */
export function programIndex(argv: readonly string[], command: string): number {
  for (const [index, word] of argv.entries()) {
    if (basename(word) === command) return index;
    const leadsOn = STARTERS.has(basename(word)) || /^\w+=/.test(word) || (index > 0 && /^-./.test(word));
    if (!leadsOn || word === "--") return -1;
  }
  return -1;
}
