/** Where comments' code is now. Each file is read once, and each comment looked for once, however often it is asked for. */
import { AgentMuxError } from "../../core/errors.ts";
import { locate, type Place } from "./anchor.ts";
import { fileLines } from "./file-lines.ts";
import type { StoredComment } from "./review-file.ts";

export type PlaceOf = (comment: Pick<StoredComment, "root" | "file" | "side" | "anchor">) => Place;

/** Characters of files held at once. */
const MAX_HELD = 64 * 1024 * 1024;

export function placesNow(read = fileLines): PlaceOf {
  const files = new Map<string, string[] | Place>();
  const places = new Map<string, Place>();
  let held = 0;
  const linesOf = (root: string, file: string): string[] | Place => {
    const key = JSON.stringify([root, file]);
    const known = files.get(key);
    if (known !== undefined) return known;
    const found = linesOrWhy(() => read(root, file));
    if (Array.isArray(found)) for (const line of found) held += line.length + 1;
    if (held > MAX_HELD) {
      files.clear();
      held = 0;
    } else files.set(key, found);
    return found;
  };
  return ({ root, file, side, anchor }) => {
    if (side === "old") return { kind: "removed" };
    const key = JSON.stringify([root, file, anchor]);
    const known = places.get(key);
    if (known !== undefined) return known;
    const lines = linesOf(root, file);
    const place = Array.isArray(lines) ? locate(anchor, lines) : lines;
    places.set(key, place);
    return place;
  };
}

function linesOrWhy(read: () => string[] | undefined): string[] | Place {
  try {
    return read() ?? { kind: "gone" };
  } catch (error) {
    if (error instanceof AgentMuxError) return { kind: "unread" };
    throw error;
  }
}
