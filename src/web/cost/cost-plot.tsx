/** Cost per day as stacked bars, one colour per agent. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CostBreakdown } from "../../core/cost.ts";
import { isDark } from "../state/preferences.ts";
import { money } from "../ui/figures.ts";
import { dayOf } from "../ui/times.ts";
import { hueOf, hueColour } from "../ui/agent-colours.ts";

const DAY_MS = 86_400_000;
const HEIGHT = 220;

export function CostPlot({ breakdowns }: { breakdowns: readonly CostBreakdown[] }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const dark = isDark();
  const { days, agents, values } = seriesOf(breakdowns);
  const colours = agents.map((agent) => hueColour(hueOf(agent), dark));
  useEffect(() => {
    const { current } = element;
    if (current === null || days.length === 0) return;
    let leave = (): void => undefined;
    let left = false;
    void import("./plot.ts").then(({ stackedBars }) => {
      if (!left) leave = stackedBars(current, { days, agents, values, colours, height: HEIGHT, dark });
      return undefined;
    });
    return () => {
      left = true;
      leave();
    };
  }, [breakdowns, dark, colours.join(" ")]);
  const best = [...breakdowns].sort((a, b) => b.totalUsd - a.totalUsd)[0];
  return (
    <figure class="plot">
      <div
        ref={element}
        role="img"
        aria-label={best === undefined ? "No cost" : `Cost by day; highest on ${best.key}: ${money(best.totalUsd)}`}
        style={{ height: `${HEIGHT}px` }}
      />
      <figcaption class="legend">
        {agents.map((agent, index) => (
          <span key={agent}>
            <span class="swatch" style={{ background: colours[index] }} /> {agent}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

interface Series {
  /** Every day in the range, in seconds. */
  days: number[];
  agents: string[];
  /** By agent, then by day. */
  values: number[][];
}

function seriesOf(breakdowns: readonly CostBreakdown[]): Series {
  const byDay = new Map(breakdowns.filter(({ key }) => /^\d{4}-/.test(key)).map((row) => [row.key, row]));
  const keys = [...byDay.keys()].sort();
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return { days: [], agents: [], values: [] };
  const days: string[] = [];
  // Noon, so that adding 24 hours always reaches the next day across a clock change.
  for (let at = Date.parse(`${first}T12:00:00`); dayOf(new Date(at)) <= last; at += DAY_MS)
    days.push(dayOf(new Date(at)));
  const agents = [...new Set(breakdowns.flatMap((row) => Object.keys(row.breakdowns ?? {})))].sort();
  const values = agents.map((agent) => days.map((day) => byDay.get(day)?.breakdowns?.[agent]?.totalUsd ?? 0));
  return { days: days.map((day) => Date.parse(`${day}T00:00:00`) / 1000), agents, values };
}
