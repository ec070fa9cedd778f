/** What the end of a Codex rollout tells about what it is doing. */
import { asObject, type Json } from "../../lib/fields.ts";
import { ENDED, lastState, RUNNING } from "../shared/last-state.ts";
import type { ProcessState } from "../status-hooks.ts";

export function transcriptState(records: readonly Json[]): ProcessState | undefined {
  return lastState(records, (record) => {
    if (record["type"] !== "event_msg") return undefined;
    switch (asObject(record["payload"])?.["type"]) {
      case "task_started":
      case "user_message":
        return RUNNING;
      case "task_complete":
      case "turn_aborted":
        return ENDED;
      default:
        return undefined;
    }
  });
}
