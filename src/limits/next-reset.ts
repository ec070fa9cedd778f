/** The next reset of an agent's limits that its status line named. */
import { recordedLimits } from "./limits-file.ts";

/** In milliseconds since the epoch; undefined if none is known. */
export function nextReset(home: string, agent: string, now: number): number | undefined {
  const resets = recordedLimits(home, now)
    .filter((reading) => reading.agent === agent)
    .flatMap(({ windows }) => windows.flatMap(({ resetsAt }) => resetsAt ?? []));
  return resets.filter((at) => at > now).toSorted((a, b) => a - b)[0];
}
