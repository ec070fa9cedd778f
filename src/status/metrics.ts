/**
 * Time in states and tools used, from status files. Two shapes exist: the documented flat one and a nested one (`time`,
 * `tools.counts`). Both are read; a file keeps its shape.
 */
import { asArray, asNumber, asObject, asText, type Json } from "../lib/json/fields.ts";
import { unixSeconds } from "./unix-seconds.ts";

export interface Metrics {
  /** Unix seconds. */
  started: number;
  total_seconds: number;
  working_seconds: number;
  waiting_seconds: number;
  tools: Record<string, number>;
  /** Newest first. */
  recent_tools: string[];
}

/** As many as the dashboards that share these files show. */
const RECENT_TOOLS = 10;

export function readMetrics(metrics: Json): Metrics {
  const nested = isNested(metrics);
  const time = nested ? (asObject(metrics["time"]) ?? {}) : metrics;
  const tools = asObject(metrics["tools"]) ?? {};
  const seconds = (field: string): number => Math.max(0, asNumber(time[field]) ?? 0);
  return {
    started: unixSeconds(time["started"]),
    total_seconds: seconds("total_seconds"),
    working_seconds: seconds("working_seconds"),
    waiting_seconds: seconds("waiting_seconds"),
    tools: countsOf(nested ? asObject(tools["counts"]) : tools),
    recent_tools: namesOf(nested ? tools["recent"] : metrics["recent_tools"]),
  };
}

/** Writes `metrics` over `into` in its shape; other keys stay. */
export function writeMetrics(into: Json, metrics: Metrics): Json {
  const { tools, recent_tools, ...time } = metrics;
  if (!isNested(into)) return { ...into, ...metrics };
  return {
    ...into,
    time: { ...asObject(into["time"]), ...time },
    tools: { ...asObject(into["tools"]), counts: tools, recent: recent_tools },
  };
}

/** Adds the time from `since` to `now` (Unix seconds) to `status`. */
export function withTimeIn(metrics: Metrics, status: string, since: number, now: number): Metrics {
  const spent = Math.max(0, now - since);
  const waiting = status === "permission" || status === "waiting";
  return {
    ...metrics,
    total_seconds: Math.max(0, now - metrics.started),
    working_seconds: metrics.working_seconds + (status === "working" ? spent : 0),
    waiting_seconds: metrics.waiting_seconds + (waiting ? spent : 0),
  };
}

export function withTool(metrics: Metrics, tool: string): Metrics {
  const used = Object.hasOwn(metrics.tools, tool) ? metrics.tools[tool]! : 0;
  return {
    ...metrics,
    tools: { ...metrics.tools, [tool]: used + 1 },
    recent_tools: [tool, ...metrics.recent_tools].slice(0, RECENT_TOOLS),
  };
}

export function startedAt(now: number): Metrics {
  return { started: now, total_seconds: 0, working_seconds: 0, waiting_seconds: 0, tools: {}, recent_tools: [] };
}

function isNested(metrics: Json): boolean {
  const tools = asObject(metrics["tools"]);
  return asObject(metrics["time"]) !== undefined || asObject(tools?.["counts"]) !== undefined;
}

function countsOf(value: Json | undefined): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [tool, count] of Object.entries(value ?? {})) {
    const number = asNumber(count);
    if (number !== undefined) counts[tool] = number;
  }
  return counts;
}

function namesOf(value: unknown): string[] {
  return (asArray(value) ?? []).flatMap((name) => asText(name) ?? []);
}
