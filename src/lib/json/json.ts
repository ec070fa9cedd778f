/** JSON from outside that may be cut off or no JSON at all. */
import { asObject, type Json } from "./fields.ts";

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text) as unknown;
  } catch {
    // Torn, or plain text; the caller knows what that means.
    return undefined;
  }
}

const BYTE_ORDER_MARK = "\ufeff";

/** The object in a JSON text; undefined when there is none. */
export function parseObject(text: unknown): Json | undefined {
  // Most of what is no object is told by its first character, which costs less than an exception.
  return typeof text === "string" && /^[\s\ufeff]*\{/.test(text) ? asObject(parseJson(text)) : undefined;
}

/** A value that may have been written as JSON text: its meaning, or the text where it has none. */
export function jsonOrText(value: unknown): unknown {
  const parsed = parseJson(value);
  return parsed === undefined ? value : parsed;
}

/** Nothing that is meant to be read is nested deeper. */
const MAX_DEPTH = 200;

/**
 * JSON of a value from outside. `JSON.parse` reads any depth, but writing recurses and fails beyond some thousand levels;
 * what lies that deep is then cut off. Empty for a value that JSON does not have.
 */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? "";
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.stringify(cutOff(value, MAX_DEPTH), undefined, indent);
  }
}

function cutOff(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (depth === 0) return "[nested too deep]";
  if (Array.isArray(value)) return value.map((item) => cutOff(item, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutOff(item, depth - 1)]));
}
