/** The state at the end of a Copilot session's events. Only this transcript also has permission requests. */
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { shortText } from "../shared/hook-reports.ts";
import { ENDED, lastState } from "../shared/last-state.ts";
import type { ProcessState } from "../status-hooks.ts";
import { stateAfter } from "./format.ts";

export function transcriptState(records: readonly Json[]): ProcessState | undefined {
  return lastState(records, (record) => {
    const after = stateAfter(record);
    if (after === undefined) return undefined;
    if ("asks" in after) return { state: "permission", ...optional("message", shortText(after.asks)) };
    if ("question" in after) return { state: "waiting", ...optional("message", shortText(after.question)) };
    if ("error" in after) return { state: "error", ...optional("message", shortText(after.error)) };
    return after.state === "ended" ? ENDED : { state: "working" };
  });
}
