/** Loads the plotting library on first use. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { money } from "../ui/figures.ts";

/** In seconds, as uPlot expects. */
const DAY = 86_400;

export interface StackedBars {
  days: readonly number[];
  agents: readonly string[];
  values: readonly (readonly number[])[];
  /** One per agent. */
  colours: readonly string[];
  height: number;
  dark: boolean;
}

/** Draws into the element; returns a function that removes the plot. */
export function stackedBars(
  element: HTMLElement,
  { days, agents, values, colours, height, dark }: StackedBars,
): () => void {
  // Drawn from the total down, because each bar covers the lower part of the one before.
  const sums = days.map(() => 0);
  const stacked = values.map((row) => row.map((value, index) => (sums[index]! += value)));
  const order = agents.map((_, index) => index).reverse();
  const margin = days.length > 1 ? DAY / 2 : 3.5 * DAY;
  const ink = dark ? "#8b91a0" : "#646a76";
  const lines = dark ? "#22262f" : "#e6e6e2";
  const bars = uPlot.paths.bars!({ size: [0.7, 40], radius: 0.15 });
  const plot = new uPlot(
    {
      width: element.clientWidth,
      height,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        // uPlot scales a single day to a range of years.
        x: { time: true, range: () => [days[0]! - margin, days.at(-1)! + margin] },
        y: { range: (_, __, max) => [0, max * 1.1 || 1] },
      },
      axes: [
        { stroke: ink, grid: { show: false }, ticks: { show: false } },
        {
          stroke: ink,
          grid: { stroke: lines, width: 1 },
          ticks: { show: false },
          size: 64,
          values: (_, marks) => marks.map(money),
        },
      ],
      series: [
        {},
        ...order.map((index) => {
          const colour = colours[index]!;
          return {
            label: agents[index]!,
            fill: colour,
            stroke: colour,
            width: 0,
            paths: bars,
            points: { show: false },
          };
        }),
      ],
    },
    [[...days], ...order.map((index) => stacked[index]!)],
    element,
  );
  const sized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
  sized.observe(element);
  return () => {
    sized.disconnect();
    plot.destroy();
  };
}
