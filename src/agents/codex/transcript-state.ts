/** The state of a session, from the end of its Codex rollout. */
import type { Json } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";
import { shortText } from "../shared/hook-reports.ts";
import { ENDED, lastState, RUNNING } from "../shared/last-state.ts";
import type { ProcessState } from "../status-hooks.ts";
import { fromFields, KIND, payloadOf } from "./format.ts";
import { errorIn, serviceError } from "./format-items.ts";

export function transcriptState(records: readonly Json[]): ProcessState | undefined {
  return lastState(records, (record) => {
    switch (fromFields(record).type) {
      case KIND.taskStarted:
      case KIND.prompt:
        return RUNNING;
      case KIND.taskComplete:
        return failureOf(errorIn(payloadOf(record))) ?? ENDED;
      case KIND.turnAborted:
        return ENDED;
      default:
        return undefined;
    }
  });
}

/** The text is often the service's raw JSON. */
function failureOf(message: string | undefined): Omit<ProcessState, "at"> | undefined {
  if (message === undefined) return undefined;
  const told = serviceError(parseObject(message));
  return { state: "error", ...optional("message", shortText(told) ?? shortText(message)) };
}
