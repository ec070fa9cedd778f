/**
 * The one deadline of all tests: it guards against hanging and says nothing about speed, so it is long, and longer on a slow
 * or busy machine.
 */
import { spawnSync } from "node:child_process";

const PATIENCE_MS = 60_000;

/** What starting Node takes on a machine of no great speed that does nothing else. */
const USUAL_START_MS = 60;
const STARTS = 3;
/** One that is slower still is better told than waited for. */
const MAX_SLOWNESS = 4;

/** Measured once, by whoever starts the run; the processes of the tests are told. */
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

// The long form of torture runs for an hour beside other work.
const isTorture = process.env["AMUX_TORTURE"] === "long";

/** For whatever is waited for. */
export const DEADLINE_MS = Math.round(PATIENCE_MS * slowness() * (isTorture ? 3 : 1));

/** For a whole test, or what is set up for several: a wait in it must come to its own end first. */
export const TEST_DEADLINE_MS = 5 * DEADLINE_MS;

/** In which a process starts and says its first word, with room to spare: for limits that a test gives the product. */
export const MOMENT_MS = Math.round(DEADLINE_MS / 40);

/** A second, as long as this machine needs for what others do in one: for what must be quick. */
export const SECOND_MS = Math.round(1000 * slowness());
