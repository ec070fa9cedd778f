/** Whether a session has come to rest: it no longer says that it works, or, where it says nothing, its terminal is still. */
import { isSeenAsk } from "../core/state.ts";
import type { SessionMeta } from "../protocol/runner-api.ts";

/** Without a status of its own a session is idle when its terminal has been still for so long. */
const STILL_MS = 2000;

/** Agents that draw something for ever are at rest when they have said so for this long. */
const SETTLED_MS = 5000;

export function isAtRest(meta: SessionMeta, now: number): boolean {
  const { status, state, reports, started_at, last_activity_at, last_input_at } = meta;
  if (status?.working === true) return false;
  // What is asked before the first turn is not rest.
  if (isSeenAsk(state?.ask)) return false;
  if (isAgent(meta) && isBeginning(meta) && !isSettled(meta, now)) return false;
  // What was said before the last input says nothing about it: the program may not have read it yet.
  if (reports.some(({ at = "" }) => at > (last_input_at ?? ""))) return true;
  const lastMove = [started_at, last_activity_at ?? "", last_input_at ?? ""].sort().at(-1) ?? "";
  return now - Date.parse(lastMove) > STILL_MS;
}

/** It has not done anything yet: after one dialog, another may be about to open. */
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
