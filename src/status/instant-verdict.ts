/** Derives a session's state for a single look, without waiting to see whether a contradiction lasts. */
import { optional } from "../lib/values/optional.ts";
import { GRACE_MS, observe, type Evidence, type Observation } from "./evidence.ts";
import type { StoredAgent } from "./stored-evidence.ts";
import { stateFrom } from "../core/state.ts";
import { judge, type Verdict } from "./verdict.ts";

const ALONE = { isAlive: () => false };

/**
 * `sights` is what is visible of the program now. It counts once the last hook is old enough; before that the agent may be in the
 * middle of a change.
 */
export function lookOnce(evidence: Evidence, sights: readonly Observation[], now: number): Verdict | undefined {
  const newest = Math.max(0, ...evidence.asks.map(({ at }) => at), evidence.said.hook?.at ?? 0);
  const settled = now - newest >= GRACE_MS;
  const counting = sights.filter(({ source }) => settled || source === "process");
  const all = counting.reduce((sum, sight) => observe(sum, sight, ALONE), evidence);
  return judge(all, counting.length > 0 ? now + GRACE_MS : now);
}

/** The evidence in a file, unless another program wrote a later status. */
export function evidenceFor(kept: StoredAgent, status: string, timestamp: number, message: string): Evidence {
  const { evidence } = kept;
  const state = stateFrom(status);
  const at = timestamp * 1000;
  const ours = judge(evidence, at)?.state;
  const isTheirs = state !== undefined && state !== ours;
  if (!isTheirs) return evidence;
  const written: Observation = {
    state,
    source: "hook",
    at,
    event: "status file",
    ...optional("message", message === "" ? undefined : message),
  };
  return observe({ ...evidence, asks: [] }, written, ALONE);
}
