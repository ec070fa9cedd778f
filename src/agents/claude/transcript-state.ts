/** What the end of a Claude Code transcript tells about what it is doing. */
import { asArray, asObject, asObjects, asString, type Json } from "../../lib/fields.ts";
import { ENDED, lastState, RUNNING } from "../shared/last-state.ts";
import type { ProcessState } from "../status-hooks.ts";

export function transcriptState(records: readonly Json[]): ProcessState | undefined {
  return lastState(records, stateOf);
}

function stateOf(record: Json): Omit<ProcessState, "at"> | undefined {
  if (record["isSidechain"] === true || record["isMeta"] === true) return undefined;
  const content = asObject(record["message"])?.["content"];
  switch (record["type"]) {
    case "user":
      return textOf(content).startsWith("[Request interrupted by user") ? ENDED : RUNNING;
    case "assistant":
      if (record["isApiErrorMessage"] === true) return { state: "error", message: textOf(content) };
      return asArray(content)?.some((block) => asObject(block)?.["type"] === "tool_use") || !hasEnded(record)
        ? RUNNING
        : ENDED;
    case "system":
      return record["subtype"] === "turn_duration" ? ENDED : undefined;
    default:
      return undefined;
  }
}

function hasEnded(record: Json): boolean {
  return ["end_turn", "stop_sequence", "max_tokens", "refusal"].includes(
    String(asObject(record["message"])?.["stop_reason"]),
  );
}

function textOf(content: unknown): string {
  return (
    asString(content) ??
    asObjects(content)
      .map((block) => asString(block["text"]) ?? "")
      .join(" ")
  );
}
