/** The parts of a content in the notation of Gemini's API, which Gemini CLI and Qwen Code record. Only this file names their fields. */
import { asArray, asObject, asString, asText, type Json } from "../../lib/json/fields.ts";

/** Content is a string, a part, or a list of either; a message changes form when it is recorded again. */
export function partsOf(content: unknown): Json[] {
  const items = asArray(content) ?? [content];
  return items.flatMap<Json>((item) => (typeof item === "string" ? { text: item } : (asObject(item) ?? [])));
}

/** The visible text, without thoughts. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  let text = "";
  for (const part of partsOf(content)) if (part["thought"] !== true) text += asString(part["text"]) ?? "";
  return text;
}

export function thoughtsIn(content: unknown): string[] {
  return partsOf(content).flatMap((part) => (part["thought"] === true ? (asText(part["text"]) ?? []) : []));
}

export interface PartCall {
  id: string;
  name: string;
  input: unknown;
}

export function callsIn(content: unknown): PartCall[] {
  return partsOf(content).flatMap((part) => {
    const call = asObject(part["functionCall"]);
    const name = asText(call?.["name"]);
    return call && name !== undefined ? { id: asText(call["id"]) ?? name, name, input: call["args"] } : [];
  });
}

export interface Response {
  id: string;
  name: string;
  response: Json;
}

export function responsesIn(content: unknown): Response[] {
  return partsOf(content).flatMap((part) => {
    const answer = asObject(part["functionResponse"]);
    if (answer === undefined) return [];
    const name = asText(answer["name"]) ?? "";
    return { id: asText(answer["id"]) ?? name, name, response: asObject(answer["response"]) ?? {} };
  });
}

/** The output of a tool. */
export function outputOf(response: Json): unknown {
  return asString(response["output"]) ?? asString(response["error"]) ?? response;
}
