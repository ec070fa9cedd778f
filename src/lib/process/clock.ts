/** Milliseconds since the process began. Not `performance.now()`, which loads half a dozen of Node's modules first. */
export function uptimeMs(): number {
  return process.uptime() * 1000;
}
