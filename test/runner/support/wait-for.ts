/** Waiting for a thing to be so, rather than for time to pass. */

const POLL_MS = 10;
// The long form of torture runs for an hour beside other work: only what never comes is a fault there.
const GIVE_UP_MS = process.env["AMUX_TORTURE"] === "long" ? 180_000 : 20_000;

export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  withinMs = GIVE_UP_MS,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
