/**
 * How long a hook waits. Agents wait for their hooks, so it is short; a very slow or busy machine may need more. In whole
 * milliseconds, as child processes need it.
 */
export function patience(ms: number, vars: Readonly<Record<string, string | undefined>> = process.env): number {
  const times = Number(vars["AMUX_HOOK_PATIENCE"]);
  return times > 1 && times <= 100 ? Math.round(ms * times) : ms;
}
