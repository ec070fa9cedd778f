/** A call of a tool, from the item types Codex has for them. */
import type { SessionToolCall } from "../../core/session.ts";
import { asText, type Json } from "../../lib/fields.ts";

/** `number` stands in for an id where the item has none. */
export function toolCallOf(type: string, item: Json, number: number): SessionToolCall {
  const toolCallId = asText(item["call_id"]) ?? asText(item["id"]) ?? `call-${number}`;
  return { toolCallId, toolName: nameOf(type, item), input: inputOf(type, item) };
}

function nameOf(type: string, item: Json): string {
  return asText(item["name"]) ?? type.replace("response_item/", "").replace(/_call$/, "");
}

function inputOf(type: string, item: Json): unknown {
  switch (type) {
    case "response_item/function_call":
      return parsed(item["arguments"]);
    case "response_item/tool_search_call":
      return item["arguments"];
    case "response_item/local_shell_call":
    case "response_item/web_search_call":
      return item["action"];
    case "response_item/image_generation_call":
      return { revised_prompt: item["revised_prompt"] };
    default:
      // Free text: a patch, or in code mode the script that calls the real tools.
      return item["input"];
  }
}

function parsed(json: unknown): unknown {
  if (typeof json !== "string") return json;
  try {
    return JSON.parse(json);
  } catch {
    // A call cut off in the middle of its arguments.
    return json;
  }
}
