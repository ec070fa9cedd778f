/** What the end of a Codex rollout tells about what it is doing. */
import { asObject, asText, type Json } from "../../lib/fields.ts";
import { parseObject } from "../../lib/json.ts";
import { optional } from "../../lib/optional.ts";
import { shortText } from "../shared/asked.ts";
import { ENDED, lastState, RUNNING } from "../shared/last-state.ts";
import type { ProcessState } from "../status-hooks.ts";

export function transcriptState(records: readonly Json[]): ProcessState | undefined {
  return lastState(records, (record) => {
    if (record["type"] !== "event_msg") return undefined;
    const payload = asObject(record["payload"]) ?? {};
    switch (payload["type"]) {
      case "task_started":
      case "user_message":
        return RUNNING;
      case "task_complete":
        return failureOf(payload["error"]) ?? ENDED;
      case "turn_aborted":
        return ENDED;
      default:
        return undefined;
    }
  });
}

/** What is told of it is often the service's own JSON. */
function failureOf(error: unknown): Omit<ProcessState, "at"> | undefined {
  const message = asText(asObject(error)?.["message"]);
  if (message === undefined) return undefined;
  const told = asObject(parseObject(message)?.["error"])?.["message"];
  return { state: "error", ...optional("message", shortText(told) ?? shortText(message)) };
}
