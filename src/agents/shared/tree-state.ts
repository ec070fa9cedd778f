/** What the end of a Pi or omp session tells. Nothing is written while an answer streams in. */
import { asObject, asString, type Json } from "../../lib/fields.ts";
import { optional } from "../../lib/optional.ts";
import type { ProcessState } from "../status-hooks.ts";
import { shortText } from "./asked.ts";
import { ENDED, lastState, RUNNING } from "./last-state.ts";

export function transcriptState(records: readonly Json[]): ProcessState | undefined {
  return lastState(records, (record) => {
    const message = asObject(record["message"]);
    if (record["type"] !== "message" || message === undefined) return undefined;
    if (message["role"] === "user" || message["role"] === "toolResult") return RUNNING;
    if (message["role"] !== "assistant") return undefined;
    const reason = asString(message["stopReason"]);
    if (reason === "error") return { state: "error", ...optional("message", shortText(message["errorMessage"])) };
    return reason === "toolUse" ? RUNNING : ENDED;
  });
}
