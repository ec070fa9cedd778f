/** The longest time a status was wrong, compared with the agent's real state. */
import { isUrgent, type State } from "../../../src/core/state.ts";
import { NO_EVIDENCE, observe } from "../../../src/status/evidence.ts";
import { judge } from "../../../src/status/verdict.ts";
import type { Life } from "./scripted-agent.ts";

const STEP_MS = 50;
const ALONE = { isAlive: () => false };

interface Mistake {
  from: number;
  ms: number;
  was: string;
  shown: string;
}

/** What a user would do about it. */
export function meaning(state: State | undefined): string {
  if (state === undefined || state === "working" || state === "offline") return state ?? "nothing";
  return isUrgent(state) ? "asks" : "calm";
}

export function longestMistake({ truth, seen }: Life, until: number): Mistake {
  let evidence = NO_EVIDENCE;
  let worst: Mistake = { from: 0, ms: 0, was: "", shown: "" };
  let wrongSince: number | undefined;
  let next = 0;
  let period = 0;
  for (let now = truth[0]!.at + STEP_MS; now < until; now += STEP_MS) {
    while (next < seen.length && seen[next]!.at <= now) evidence = observe(evidence, seen[next++]!, ALONE);
    while (period + 1 < truth.length && truth[period + 1]!.at <= now) period++;
    const was = meaning(truth[period]!.state);
    const shown = meaning(judge(evidence, now)?.state);
    if (was === shown) wrongSince = undefined;
    else {
      wrongSince ??= now;
      if (now - wrongSince > worst.ms) worst = { from: wrongSince, ms: now - wrongSince, was, shown };
    }
  }
  return worst;
}
