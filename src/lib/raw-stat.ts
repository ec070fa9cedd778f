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
export const INO = 7;
export const SIZE = 8;
export const MTIME_SECONDS = 12;
export const MTIME_NANOSECONDS = 13;

const NOTHING = "/.amux-has-no-such-file";

let known: { look: Look | undefined; values: RawLook } | undefined;

/** Undefined where Node has nothing of the kind. */
export function rawLook(binding = bindingOfFiles): Look | undefined {
  if (binding !== bindingOfFiles) return checked(binding());
  return knownHere().look;
}

/**
 * What lies below `statSync`, for a path that may be bytes up to a zero, whatever lies behind that. Throws where a file is in the
 * place of a directory. What it gives is valid until the next look.
 */
export type RawLook = (
  path: string | Uint8Array,
  bigint: false,
  request: undefined,
  throwIfNoEntry: false,
) => Float64Array | undefined;

/** And how many numbers it gives. The same from `statSync` where Node has nothing of the kind. */
export function rawValues(): { stat: RawLook; stride: number } {
  const stat = knownHere().values;
  return { stat, stride: stat(process.execPath, false, undefined, false)?.length ?? 0 };
}

function knownHere(): NonNullable<typeof known> {
  if (known === undefined) {
    const stat = bindingOfFiles();
    const look = checked(stat);
    known = { look, values: (look && valuesBelow(stat!, look)) ?? valuesOfNode };
  }
  return known;
}

/** Taken for bytes only if it says the same of them. */
function valuesBelow(stat: RawLook, look: Look): RawLook | undefined {
  const { ino, size } = look(process.execPath)!;
  const [known, nothing] = [process.execPath, NOTHING].map((path) =>
    stat(Buffer.from(`${path}\0/more`), false, undefined, false),
  );
  return known?.[INO] === ino && known[SIZE] === size && nothing === undefined ? stat : undefined;
}

const values = new Float64Array(MTIME_NANOSECONDS + 1);

const valuesOfNode: RawLook = (path) => {
  const whole = typeof path === "string" ? path : Buffer.from(path.subarray(0, path.indexOf(0)));
  const stat = statSync(whole, { throwIfNoEntry: false, bigint: true });
  if (stat === undefined) return undefined;
  values[INO] = Number(stat.ino);
  values[SIZE] = Number(stat.size);
  values[MTIME_SECONDS] = Number(stat.mtimeNs / 1_000_000_000n);
  values[MTIME_NANOSECONDS] = Number(stat.mtimeNs % 1_000_000_000n);
  return values;
};

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
