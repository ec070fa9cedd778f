/** Converts a wire report to an observation. */
import type { StatusReport } from "../protocol/status.ts";
import type { Observation } from "./evidence.ts";

/** A report without a time was made now. */
export function observationOf(report: StatusReport, now: number): Observation {
  const { at: time, ...rest } = report;
  const at = Date.parse(time ?? "");
  return { ...(rest as Omit<Observation, "at">), at: Number.isNaN(at) ? now : at };
}
