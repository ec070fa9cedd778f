/** Whether a session is at rest: it no longer reports work, or, without reports, its terminal is quiet. */
import { isSeenAsk } from "../core/state.ts";
import type { SessionMeta } from "../protocol/runner-api.ts";

/** Without a status of its own, a session is idle after its terminal was quiet this long. */
const STILL_MS = 2000;

/** Agents with an endless animation are at rest once they have said so for this long. */
const SETTLED_MS = 5000;

export function isAtRest(meta: SessionMeta, now: number): boolean {
  const { status, state, reports, started_at, last_activity_at, last_input_at } = meta;
  if (status?.working === true) return false;
  // A question before the first turn does not count as rest.
  if (isSeenAsk(state?.ask)) return false;
  if (isAgent(meta) && isBeginning(meta) && !isSettled(meta, now)) return false;
  // A status from before the last input does not cover it: the program may not have read it yet.
  if (reports.some(({ at = "" }) => at > (last_input_at ?? ""))) return true;
  const lastMove = [started_at, last_activity_at ?? "", last_input_at ?? ""].sort().at(-1) ?? "";
  return now - Date.parse(lastMove) > STILL_MS;
}

/** It has done nothing yet: after one dialog another may open. */
function isBeginning({ state }: SessionMeta): boolean {
  return state === undefined || state.state === "idle";
}

function isSettled({ state, started_at, last_activity_at }: SessionMeta, now: number): boolean {
  if (now - Date.parse(last_activity_at ?? started_at) > STILL_MS) return true;
  return state !== undefined && now - Date.parse(state.since) > SETTLED_MS;
}

function isAgent({ kind, agent = kind }: SessionMeta): boolean {
  return agent !== "shell";
}
