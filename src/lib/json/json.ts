/** Foreign JSON that may be cut off or invalid. */
import { asObject, type Json } from "./fields.ts";

/** The value of a JSON text; undefined if invalid. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text) as unknown;
  } catch {
    // Cut off, or plain text; the caller knows which.
    return undefined;
  }
}

const BYTE_ORDER_MARK = "\ufeff";

/** The object in a JSON text; undefined if there is none. */
export function parseObject(text: unknown): Json | undefined {
  // The first character rules out most non-objects, which is cheaper than an exception.
  return typeof text === "string" && /^[\s\ufeff]*\{/.test(text) ? asObject(parseJson(text)) : undefined;
}

/** A value that may be JSON text: its parsed value, or the text itself if it does not parse. */
export function jsonOrText(value: unknown): unknown {
  const parsed = parseJson(value);
  return parsed === undefined ? value : parsed;
}

/** Nothing meant to be read is nested deeper. */
const MAX_DEPTH = 200;

/**
 * JSON of a foreign value. `JSON.parse` reads any depth but `JSON.stringify` recurses, so very deep parts are cut off. Empty if
 * JSON cannot express the value.
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
