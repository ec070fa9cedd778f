/** The `timeline` of a 0.0.340 document: what its screen showed, and the only place with times. */
import { asArray, asObject, asObjects, asText, asTime, type Json } from "../../lib/json/fields.ts";

export class Timeline {
  readonly #entries: Json[];

  constructor(value: unknown) {
    this.#entries = asObjects(value);
  }

  /** When a message was shown. Prompts also carry their own time, added for the model. */
  timeOf(record: Json, shown: string): number | undefined {
    if (record["role"] === "user") return promptTime(record["content"]) ?? this.#textTime("user", shown);
    if (record["role"] === "tool") return asTime(this.#call(asText(record["tool_call_id"]))?.["timestamp"]);
    const firstCall = asObject(asArray(record["tool_calls"])?.[0]);
    return asTime(this.#call(asText(firstCall?.["id"]))?.["timestamp"]) ?? this.#textTime("copilot", shown);
  }

  hasFailed(callId: string): boolean {
    const result = asText(asObject(this.#call(callId)?.["result"])?.["type"]);
    return result !== undefined && result !== "success";
  }

  #textTime(type: string, text: string): number | undefined {
    return asTime(this.#entries.find((entry) => entry["type"] === type && entry["text"] === text)?.["timestamp"]);
  }

  #call(callId: string | undefined): Json | undefined {
    return callId === undefined ? undefined : this.#entries.find((entry) => entry["callId"] === callId);
  }
}

function promptTime(content: unknown): number | undefined {
  const written =
    typeof content === "string" ? /<current_datetime>([^<]*)<\/current_datetime>/.exec(content)?.[1] : undefined;
  return asTime(written);
}
