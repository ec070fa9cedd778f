/**
 * Looks at thousands of files without an object, four dates and half a dozen calls for each: what Node does around the
 * system's own call takes longer than that. What lies below `statSync` is undocumented, so it is asked about one path first,
 * and used only if it says the same.
 */
import { statSync } from "node:fs";
import { nodeBinding } from "./node-binding.ts";

/** Number of a file, its size, time of its last change in milliseconds. Valid until the next look. */
export interface RawStat {
  ino: number;
  size: number;
  mtimeMs: number;
}

/** Undefined: nothing is there, or nothing that can be looked at. */
export type Look = (path: string) => RawStat | undefined;

/** By place in what the binding gives. */
const INO = 7;
const SIZE = 8;
const MTIME_SECONDS = 12;
const MTIME_NANOSECONDS = 13;

type RawLook = (path: string, bigint: false, request: undefined, throwIfNoEntry: false) => Float64Array | undefined;

const NOTHING = "/.amux-has-no-such-file";

let known: { look: Look | undefined; compare: Compare | undefined } | undefined;

/** Undefined where Node has nothing of the kind. */
export function rawLook(binding = bindingOfFiles): Look | undefined {
  if (binding !== bindingOfFiles) return checked(binding());
  return knownHere().look;
}

/**
 * Whether something is as it was: inode, size and time from a place on in a column; an inode of -1: nothing was there.
 * `hasSize`: whether its size counts. 0 for as it was, 1 for changed, -1 for nothing there any more.
 */
export type Compare = (path: string, stamps: Float64Array, at: number, hasSize: boolean) => -1 | 0 | 1;

/** The same as `rawLook` for whoever only compares, with less of it for each of thousands. */
export function rawCompare(): Compare | undefined {
  return knownHere().compare;
}

function knownHere(): NonNullable<typeof known> {
  if (known === undefined) {
    const stat = bindingOfFiles();
    const look = checked(stat);
    known = { look, compare: look && comparing(stat!) };
  }
  return known;
}

function comparing(stat: RawLook): Compare {
  return (path, stamps, at, hasSize) => {
    let values: Float64Array | undefined;
    try {
      values = stat(path, false, undefined, false);
    } catch {
      // As below.
    }
    if (values === undefined) return stamps[at] === -1 ? 0 : -1;
    const isSame =
      stamps[at] === values[INO] &&
      (!hasSize || stamps[at + 1] === values[SIZE]) &&
      stamps[at + 2] === values[MTIME_SECONDS]! * 1000 + values[MTIME_NANOSECONDS]! / 1e6;
    return isSame ? 0 : 1;
  };
}

function checked(stat: RawLook | undefined): Look | undefined {
  if (typeof stat !== "function") return undefined;
  const now: RawStat = { ino: 0, size: 0, mtimeMs: 0 };
  const look: Look = (path) => {
    let values: Float64Array | undefined;
    try {
      values = stat(path, false, undefined, false);
    } catch {
      // Below a file there is nothing; what else is in the way stays in the way.
      return undefined;
    }
    if (values === undefined) return undefined;
    now.ino = values[INO]!;
    now.size = values[SIZE]!;
    // As Node computes it.
    now.mtimeMs = values[MTIME_SECONDS]! * 1000 + values[MTIME_NANOSECONDS]! / 1e6;
    return now;
  };
  try {
    // A file that is not likely to change meanwhile, and one that is not there.
    const { ino, size, mtimeMs } = statSync(process.execPath);
    const seen = look(process.execPath);
    const isSame = seen?.ino === ino && seen.size === size && seen.mtimeMs === mtimeMs;
    return isSame && stat(NOTHING, false, undefined, false) === undefined ? look : undefined;
  } catch {
    return undefined;
  }
}

function bindingOfFiles(): RawLook | undefined {
  return nodeBinding("fs")?.["stat"] as RawLook | undefined;
}
