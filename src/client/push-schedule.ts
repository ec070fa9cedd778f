/** How often the daemon pushes to the archive, and how the last push went: two small files in amux's home. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { readText } from "../lib/fs/foreign-file.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";

/** Set by the daemon for the pushes it starts. */
export const SCHEDULED_VARIABLE = "AMUX_SCHEDULED";

export interface PushSchedule {
  everyMs: number;
  /** Options of `amux archive push`, as typed. */
  options: readonly string[];
}

export interface PushOutcome {
  at: Date;
  ok: boolean;
  /** Output of the push, or its error. */
  said: string;
}

const schedulePath = (home: string): string => join(home, "archive-schedule.json");
const outcomePath = (home: string): string => join(home, "archive-pushed.json");

/** Undefined if nothing is scheduled. */
export function readPushSchedule(home: string): PushSchedule | undefined {
  const { everyMs, options } = objectIn(schedulePath(home)) as Partial<PushSchedule>;
  const isRight =
    typeof everyMs === "number" &&
    everyMs > 0 &&
    Array.isArray(options) &&
    options.every((option) => typeof option === "string");
  return isRight ? { everyMs, options } : undefined;
}

/** Undefined removes the schedule. */
export function writePushSchedule(home: string, schedule: PushSchedule | undefined): void {
  ensurePrivateDirectory(home);
  rmSync(outcomePath(home), { force: true });
  if (schedule === undefined) rmSync(schedulePath(home), { force: true });
  else writeFileAtomic(schedulePath(home), `${JSON.stringify(schedule)}\n`);
}

/** Undefined before the first push. */
export function readPushOutcome(home: string): PushOutcome | undefined {
  const { at, ok, said } = objectIn(outcomePath(home)) as { at?: unknown; ok?: unknown; said?: unknown };
  const date = new Date(typeof at === "string" ? at : Number.NaN);
  if (Number.isNaN(date.getTime()) || typeof ok !== "boolean" || typeof said !== "string") return undefined;
  return { at: date, ok, said };
}

/** When the last push began or ended, with any result. Undefined if there was none. */
export function lastPushMs(home: string): number | undefined {
  const { begun, at } = objectIn(outcomePath(home)) as { begun?: unknown; at?: unknown };
  const ms = Date.parse(String(begun ?? at));
  return Number.isNaN(ms) ? undefined : ms;
}

/** Stored beside the last outcome until there is a new one. */
export function writePushBegun(home: string, begun: Date): void {
  writeFileAtomic(outcomePath(home), `${JSON.stringify({ ...objectIn(outcomePath(home)), begun })}\n`);
}

export function writePushOutcome(home: string, outcome: PushOutcome): void {
  writeFileAtomic(outcomePath(home), `${JSON.stringify(outcome)}\n`);
}

/** Empty if missing or damaged: then nothing is scheduled, and `archive status` says so. */
function objectIn(path: string): object {
  try {
    const value: unknown = JSON.parse(readText(path));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
