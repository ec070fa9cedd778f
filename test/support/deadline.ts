/** The one deadline of all tests. It guards against hanging only, so it is long, and longer on a slow or busy machine. */
import { spawnSync } from "node:child_process";

const PATIENCE_MS = 60_000;

/** Time to start Node on an idle machine of ordinary speed. */
const USUAL_START_MS = 60;
const STARTS = 3;
/** A machine slower than this should fail, not wait. */
const MAX_SLOWNESS = 4;

/** Measured once by the first process and passed to the test processes. */
const SLOWNESS = "AMUX_TEST_SLOWNESS";

function slowness(): number {
  const told = Number(process.env[SLOWNESS] ?? 0);
  if (told >= 1) return told;
  const started = performance.now();
  for (let start = 0; start < STARTS; start++) spawnSync(process.execPath, ["-e", "0"]);
  const measured = (performance.now() - started) / STARTS / USUAL_START_MS;
  const within = Math.min(MAX_SLOWNESS, Math.max(1, measured));
  process.env[SLOWNESS] = String(within);
  return within;
}

// The long torture run takes an hour beside other work.
const isTorture = process.env["AMUX_TORTURE"] === "long";

/** For a single wait. */
export const DEADLINE_MS = Math.round(PATIENCE_MS * slowness() * (isTorture ? 3 : 1));

/** For a whole test or a shared setup: longer than any wait in it. */
export const TEST_DEADLINE_MS = 5 * DEADLINE_MS;

/** Time for a process to start and print, with room to spare: for limits that tests pass to the product. */
export const MOMENT_MS = Math.round(DEADLINE_MS / 40);

/** A second, scaled to this machine: for things that must be quick. */
export const SECOND_MS = Math.round(1000 * slowness());
