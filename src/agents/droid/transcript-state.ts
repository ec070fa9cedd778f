/** A failed request, from the end of a Droid session: the hook of its end is the same as after an answer. */
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { shortText } from "../shared/hook-reports.ts";
import type { ProcessState } from "../status-hooks.ts";
import { recordIn } from "./format.ts";

export function transcriptState(records: readonly Json[]): ProcessState | undefined {
  for (const fields of records.toReversed()) {
    const record = recordIn(fields);
    if (record.is !== "message" || record.message.isHidden) continue;
    const { isNotice, text, at } = record.message;
    // Calls of hooks are notices without a text.
    if (isNotice && text === "") continue;
    const [line = ""] = text.split("\n", 1);
    const isFailure = isNotice && at !== undefined && /\berror\b/i.test(line);
    return isFailure ? { state: "error", ...optional("message", shortText(line)), at } : undefined;
  }
  return undefined;
}
