/** Milliseconds since the process started. `performance.now()` would load half a dozen Node modules first. */
export function uptimeMs(): number {
  return process.uptime() * 1000;
}
