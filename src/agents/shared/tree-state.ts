/** The state of a session, from the end of its Pi or omp file. Nothing is written while an answer streams. */
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ProcessState } from "../status-hooks.ts";
import { shortText } from "./hook-reports.ts";
import { ENDED, lastState, RUNNING } from "./last-state.ts";
import { errorOf, isAnswer, isToolResult, isUser, readTreeEntry, stopReasonOf } from "./tree-format.ts";

export function transcriptState(records: readonly Json[]): ProcessState | undefined {
  return lastState(records, (record) => {
    const entry = readTreeEntry(record);
    if (entry?.message === undefined) return undefined;
    if (isUser(entry) || isToolResult(entry)) return RUNNING;
    if (!isAnswer(entry)) return undefined;
    const reason = stopReasonOf(entry.message);
    if (reason === "error") return { state: "error", ...optional("message", shortText(errorOf(entry.message))) };
    return reason === "toolUse" ? RUNNING : ENDED;
  });
}
