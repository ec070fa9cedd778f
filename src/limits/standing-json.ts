/** Limits as JSON: for `amux limits --json` and `GET /v1/limits`. */
import type { LimitRefused } from "../core/limits.ts";
import { optional } from "../lib/values/optional.ts";
import type { LimitStanding } from "./standing.ts";

export interface StandingJson {
  agent: string;
  account?: string;
  plan?: string;
  window: string;
  minutes?: number;
  used_percent: number;
  as_of: string;
  resets_at?: string;
  /** It was reset since: the figure is of the window before. */
  is_reset: boolean;
  pace?: number;
  forecast?: { percent: readonly [number, number]; full_at?: string[] };
}

export function standingJson(standing: LimitStanding): StandingJson {
  const { agent, account, plan, window, minutes, usedPercent, at, resetsAt, isReset, pace, forecast } = standing;
  return {
    agent,
    ...optional("account", account),
    ...optional("plan", plan),
    window,
    ...optional("minutes", minutes),
    used_percent: usedPercent,
    as_of: iso(at),
    ...optional("resets_at", resetsAt === undefined ? undefined : iso(resetsAt)),
    is_reset: isReset,
    ...optional("pace", pace === undefined ? undefined : rounded(pace, 100)),
    ...(forecast === undefined
      ? {}
      : {
          forecast: {
            percent: [rounded(forecast.percent[0], 10), rounded(forecast.percent[1], 10)] as const,
            ...optional(
              "full_at",
              forecast.fullAt?.flatMap((moment) => (moment === undefined ? [] : [iso(moment)])),
            ),
          },
        }),
  };
}

export interface RefusalJson {
  agent: string;
  account?: string;
  /** The window, as the agent names it. */
  kind?: string;
  at: string;
  resets_at?: string;
  session?: string;
}

export function refusalJson({ agent, account, kind, at, resetsAt, session }: LimitRefused): RefusalJson {
  return {
    agent,
    ...optional("account", account),
    ...optional("kind", kind),
    at: iso(at),
    ...optional("resets_at", resetsAt === undefined ? undefined : iso(resetsAt)),
    ...optional("session", session),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function rounded(value: number, steps: number): number {
  return Math.round(value * steps) / steps;
}
