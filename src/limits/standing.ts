/** The standing of each account in each window: the newest figure, its pace, and a forecast. Figures are never estimated. */
import type { LimitReading, LimitWindow } from "../core/limits.ts";
import { optional } from "../lib/values/optional.ts";

export interface LimitStanding extends LimitWindow {
  agent: string;
  account?: string;
  plan?: string;
  /** When the agent reported it, in milliseconds since the epoch. */
  at: number;
  /** Since the reset nothing is known. */
  isReset: boolean;
  startedAt?: number;
  /** Share of the used part in the elapsed time: above 1, it will not last. */
  pace?: number;
  forecast?: Forecast;
}

export interface Forecast {
  /** Used at the reset, from the slower to the faster of two paces: since the window began, and lately. */
  percent: readonly [low: number, high: number];
  /** When it is used up, if it is before the reset: earliest and, if the slower pace gets there too, latest. */
  fullAt?: readonly [earliest: number, latest?: number];
}

/** Earlier than this, a forecast is a guess. */
const LEAST_ELAPSED = 0.05;

/** "Lately" is this share of the elapsed time. */
const LATELY = 1 / 3;

/** By agent, account and length; only windows that are open or were reset last. */
export function limitStandings(readings: readonly LimitReading[], now: number): LimitStanding[] {
  const series = new Map<string, { reading: LimitReading; window: LimitWindow }[]>();
  for (const reading of readings.toSorted((a, b) => a.at - b.at)) {
    for (const window of reading.windows) {
      const key = JSON.stringify([reading.agent, reading.account, window.window]);
      series.set(key, [...(series.get(key) ?? []), { reading, window }]);
    }
  }
  return [...series.values()].map((points) => standingOf(points, now)).sort(inOrder);
}

function inOrder(a: LimitStanding, b: LimitStanding): number {
  return (
    a.agent.localeCompare(b.agent) ||
    (a.account ?? "").localeCompare(b.account ?? "") ||
    (a.minutes ?? Infinity) - (b.minutes ?? Infinity) ||
    a.window.localeCompare(b.window)
  );
}

function standingOf(points: readonly { reading: LimitReading; window: LimitWindow }[], now: number): LimitStanding {
  const { reading, window } = points.at(-1)!;
  const { minutes, resetsAt, usedPercent } = window;
  const isReset = resetsAt !== undefined && resetsAt <= now;
  const startedAt = minutes === undefined || resetsAt === undefined ? undefined : resetsAt - minutes * 60_000;
  const standing: LimitStanding = {
    agent: reading.agent,
    ...optional("account", reading.account),
    ...optional("plan", reading.plan),
    ...window,
    at: reading.at,
    isReset,
    ...optional("startedAt", startedAt),
  };
  if (isReset || startedAt === undefined || resetsAt === undefined) return standing;
  const elapsed = (now - startedAt) / (resetsAt - startedAt);
  if (elapsed <= 0) return standing;
  const own = points.filter((point) => point.window.resetsAt === resetsAt);
  return {
    ...standing,
    pace: usedPercent / (elapsed * 100),
    ...optional("forecast", elapsed < LEAST_ELAPSED ? undefined : forecastOf(own, { startedAt, resetsAt, now })),
  };
}

interface Span {
  startedAt: number;
  resetsAt: number;
  now: number;
}

function forecastOf(
  points: readonly { reading: LimitReading; window: LimitWindow }[],
  { startedAt, resetsAt, now }: Span,
): Forecast {
  const used = points.at(-1)!.window.usedPercent;
  const from = now - (now - startedAt) * LATELY;
  const before = points.findLast(({ reading }) => reading.at <= from);
  const lately = before === undefined ? undefined : (used - before.window.usedPercent) / (now - from);
  const rates = [used / (now - startedAt), ...(lately === undefined ? [] : [Math.max(0, lately)])].sort(
    (a, b) => a - b,
  );
  const [slow, fast] = [rates[0]!, rates.at(-1)!];
  const at = (rate: number): number => used + rate * (resetsAt - now);
  const full = (rate: number): number | undefined => {
    const moment = used >= 100 ? now : rate > 0 ? now + (100 - used) / rate : Infinity;
    return moment < resetsAt ? moment : undefined;
  };
  const [earliest, latest] = [full(fast), full(slow)];
  const fullAt =
    earliest === undefined ? undefined : latest === undefined ? ([earliest] as const) : ([earliest, latest] as const);
  return { percent: [at(slow), at(fast)], ...optional("fullAt", fullAt) };
}
