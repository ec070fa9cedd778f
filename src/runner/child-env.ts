/**
 * The environment of a session's program: its starter's, without the outer terminal's variables and amux's secrets, plus the way
 * to its runner.
 */

import { CHILD_VARIABLE_PREFIX, PUBLIC_VARIABLES } from "../protocol/launch-spec.ts";

/** They describe the outer terminal; the program runs in ours. */
const TERMINAL_VARIABLES =
  /^(TMUX|TMUX_PANE|STY|WINDOW|WINDOWID|COLUMNS|LINES|TERMCAP|VTE_VERSION|TERM_SESSION_ID|LC_TERMINAL.*|WT_.*|KITTY_.*|ITERM_.*|GHOSTTY_.*|WEZTERM_.*|ALACRITTY_.*|KONSOLE_.*|ZELLIJ.*)$/;

/** Set by the spawner for the runner only. */
const RUNNER_VARIABLES = /^MALLOC_(MMAP_THRESHOLD_|ARENA_MAX)$/;

type Variables = Readonly<Record<string, string | undefined>>;

export interface ChildIdentity {
  sessionId: string;
  socket: string;
  version: string;
}

/** Built from the runner's environment. */
export function childEnvironment(
  env: Variables,
  extra: Readonly<Record<string, string>>,
  identity: ChildIdentity,
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || TERMINAL_VARIABLES.test(name) || RUNNER_VARIABLES.test(name)) continue;
    if (name.startsWith(CHILD_VARIABLE_PREFIX)) result[name.slice(CHILD_VARIABLE_PREFIX.length)] = value;
    else if (!/^(AMUX|GMUX)(_|$)/.test(name) || PUBLIC_VARIABLES.has(name)) result[name] = value;
  }
  return {
    ...result,
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
    TERM_PROGRAM: "amux",
    TERM_PROGRAM_VERSION: identity.version,
    ...extra,
    AMUX_SESSION_ID: identity.sessionId,
    AMUX_SOCKET: identity.socket,
    GMUX_SOCKET: identity.socket,
  };
}
