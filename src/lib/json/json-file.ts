/** Small JSON files of other programs. */
import { readText } from "../fs/foreign-file.ts";
import type { Json } from "./fields.ts";
import { parseObject } from "./json.ts";

/** The object in a file; undefined if the file is missing, unreadable or holds none. */
export function objectIn(path: string, maxBytes?: number): Json | undefined {
  try {
    return parseObject(readText(path, maxBytes));
  } catch {
    // Optional: the caller does without it.
    return undefined;
  }
}
