/** What the end of a Copilot session's events tells; it is the one transcript that also tells who is asked. */
import { asObject, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { shortText } from "../shared/asked.ts";
import { ENDED, lastState } from "../shared/last-state.ts";
import type { ProcessState } from "../status-hooks.ts";

export function transcriptState(records: readonly Json[]): ProcessState | undefined {
  return lastState(records, (record) => {
    const data = asObject(record["data"]) ?? {};
    switch (record["type"]) {
      case "user.message":
      case "assistant.turn_start":
      case "tool.execution_start":
      case "permission.completed":
        return { state: "working" };
      case "permission.requested":
        return {
          state: "permission",
          ...optional("message", permissionText(asObject(data["permissionRequest"]) ?? {})),
        };
      case "assistant.turn_end":
      case "abort":
        return ENDED;
      case "session.error":
        return { state: "error", ...optional("message", shortText(data["message"])) };
      default:
        return undefined;
    }
  });
}

function permissionText(request: Json): string | undefined {
  return shortText(asText(request["fullCommandText"]) ?? asText(request["fileName"]) ?? asText(request["intention"]));
}
