/**
 * The environment of a program in a session: that of whoever started the session, without what describes the
 * terminal it was started from, without amux's own secrets, and with the way back to its runner.
 */

import { CHILD_VARIABLE_PREFIX } from "../protocol/launch-spec.ts";

/** They say which terminal one is in; the program is in ours. */
const TERMINAL_VARIABLES =
  /^(TMUX|TMUX_PANE|STY|WINDOW|WINDOWID|COLUMNS|LINES|TERMCAP|VTE_VERSION|TERM_SESSION_ID|LC_TERMINAL.*|WT_.*|KITTY_.*|ITERM_.*|GHOSTTY_.*|WEZTERM_.*|ALACRITTY_.*|KONSOLE_.*|ZELLIJ.*)$/;

/** Meant for the runner, which its spawner gave them to. */
const RUNNER_VARIABLES = /^MALLOC_(MMAP_THRESHOLD_|ARENA_MAX)$/;

/** What of ours a program (often amux itself) may see. */
const PUBLIC_VARIABLES: ReadonlySet<string> = new Set(["AMUX_HOME", "AMUX_SOCKET_DIR"]);

type Variables = Readonly<Record<string, string | undefined>>;

export interface ChildIdentity {
  sessionId: string;
  socket: string;
  version: string;
}

/** For the program, from the environment its runner has. */
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
