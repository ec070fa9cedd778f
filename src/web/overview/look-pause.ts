/** How long a card waits before it asks for a terminal's output again. */

/** While it prints. */
const LOOK_EVERY_MS = 3000;

/** Runners report no output that somebody watches elsewhere, so that quiet sessions have to be looked at too. */
const LOOK_SELDOM_MS = 60_000;

/** Longer each time that nothing changed. */
export function pauseAfter(pause: number, isChanged: boolean, isActive: boolean): number {
  if (isChanged || isActive) return LOOK_EVERY_MS;
  return Math.min(LOOK_SELDOM_MS, Math.max(LOOK_EVERY_MS, pause * 2));
}
