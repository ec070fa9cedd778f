/** The state after the last meaningful record of a transcript. */
import { asTime, type Json } from "../../lib/json/fields.ts";
import type { ProcessState } from "../status-hooks.ts";

/** In most transcripts a running tool and one that waits for permission look the same. */
export const RUNNING: Omit<ProcessState, "at"> = { state: "working", could_be: ["permission", "waiting"] };
export const ENDED: Omit<ProcessState, "at"> = { state: "idle", could_be: ["done", "stopped", "error"] };

export function lastState(
  records: readonly Json[],
  stateOf: (record: Json) => Omit<ProcessState, "at"> | undefined,
  timeField = "timestamp",
): ProcessState | undefined {
  for (let index = records.length - 1; index >= 0; index--) {
    const record = records[index]!;
    const state = stateOf(record);
    if (state === undefined) continue;
    const at = asTime(record[timeField]);
    return at === undefined ? undefined : { ...state, at };
  }
  return undefined;
}
