/** Whether anything listens: outside of amux and tmux nothing does. `AMUX_HOOKS=off` silences every hook. */
export function hasListener(vars: Readonly<Record<string, string | undefined>>): boolean {
  return vars["AMUX_HOOKS"] !== "off" && Boolean(vars["AMUX_SOCKET"] || vars["TMUX"]);
}
