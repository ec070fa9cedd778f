/**
 * Where each account stands in each window: the figure, its pace, and a forecast. Figures are never estimated. A process that idles
 * repeats what its last response said, so the last figure told is not the newest: within a window, that is the highest.
 */
import { isSameReset, type LimitReading, type LimitWindow } from "../core/limits.ts";
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

interface Point {
  reading: LimitReading;
  window: LimitWindow;
}

/** By agent, account and length: the last window that is known, even if it was reset since. */
export function limitStandings(readings: readonly LimitReading[], now: number): LimitStanding[] {
  const series = new Map<string, Point[]>();
  const past = readings.filter(({ at }) => at <= now);
  for (const reading of past.sort((a, b) => a.at - b.at)) {
    for (const window of reading.windows) {
      const key = JSON.stringify([reading.agent, reading.account, window.window]);
      const points = series.get(key) ?? [];
      points.push({ reading, window });
      series.set(key, points);
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

function standingOf(all: readonly Point[], now: number): LimitStanding {
  const points = rising(all);
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
  const elapsed = (reading.at - startedAt) / (resetsAt - startedAt);
  if (elapsed <= 0) return standing;
  return {
    ...standing,
    pace: usedPercent / (elapsed * 100),
    ...optional("forecast", elapsed < LEAST_ELAPSED ? undefined : forecastOf(points, { startedAt, resetsAt, now })),
  };
}

/** The points of the latest window, without those that repeat an older figure. */
function rising(points: readonly Point[]): Point[] {
  const last = points.at(-1)!;
  const latest = points.reduce((max, { window }) => Math.max(max, window.resetsAt ?? 0), 0);
  // Without a time of the reset, nothing tells an old figure from a new window.
  if (last.window.resetsAt === undefined && latest <= last.reading.at) return [last];
  let most = 0;
  return points.filter(({ window: { resetsAt, usedPercent } }) => {
    if (!isSameReset(resetsAt, latest) || usedPercent < most) return false;
    most = usedPercent;
    return true;
  });
}

interface Span {
  startedAt: number;
  resetsAt: number;
  now: number;
}

/** Paces are measured up to the last figure: nobody knows what was used since. */
function forecastOf(points: readonly Point[], { startedAt, resetsAt, now }: Span): Forecast {
  const { reading, window } = points.at(-1)!;
  const used = window.usedPercent;
  const from = reading.at - (reading.at - startedAt) * LATELY;
  const before = points.findLast((point) => point.reading.at <= from);
  const lately =
    before === undefined ? undefined : (used - before.window.usedPercent) / (reading.at - before.reading.at);
  const average = used / (reading.at - startedAt);
  const [slow, fast] = lately === undefined || lately > average ? [average, lately ?? average] : [lately, average];
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
