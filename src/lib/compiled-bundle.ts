/**
 * Loads a bundled CommonJS file together with what V8 compiled of it at an earlier run, which lies beside it: most of the
 * time a short command takes is the compiling of code. Where nothing can be written there, all works as well, only later.
 */
import { isAscii } from "node:buffer";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";
import { writeFileAtomic } from "./atomic-file.ts";

/** Before the compiled code: how many short runs have left theirs in it, and how many long ones; as long as V8 wants it aligned. */
const HEADER_BYTES = 16;
const SHORT = 0;
const LONG = 1;
/** A run that takes longer than this had something to do, and called other functions than one that had not. */
const LONG_MS = 250;

/**
 * Of how many runs the functions are kept together, of short and long ones; and of which use, for a program that does now this
 * and now that: each has compiled code of its own, as what others need would have to be read, too.
 */
interface Learning {
  runs: number;
  use?: string;
}

/** `later` calls back when it is known which functions a program needs; at the end of a short one. */
export function requireCompiled<T>(path: string, later = atExit, { runs, use }: Learning = { runs: 1 }): T {
  // The bundle's name changes with its contents; V8 itself checks that the code is of this Node.
  const compiledPath = `${path}.${use === undefined ? "" : `${use}.`}${process.version}-${process.arch}.compiled`;
  const kept = bytesAt(compiledPath);
  const cachedData = kept?.subarray(HEADER_BYTES);
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${textAt(path)}\n})`, {
    filename: path,
    ...(cachedData ? { cachedData } : {}),
  });
  const module = { exports: {} as T };
  const body = script.runInThisContext() as (...names: unknown[]) => void;
  body(module.exports, createRequire(path), module, path, dirname(path));
  const header = Buffer.alloc(HEADER_BYTES);
  if (kept !== undefined && !script.cachedDataRejected) kept.copy(header, 0, 0, HEADER_BYTES);
  if (header[SHORT]! < runs || header[LONG]! < runs) {
    later(() => {
      const kind = process.uptime() * 1000 < LONG_MS ? SHORT : LONG;
      if (header[kind]!++ < runs) keep(compiledPath, script, header);
    });
  }
  return module.exports;
}

function atExit(act: () => void): void {
  process.once("exit", act);
}

/** A text of one byte for each character is half as long, and takes no decoding. */
function textAt(path: string): string {
  const bytes = readFileSync(path);
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
}

function bytesAt(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // The first run.
    return undefined;
  }
}

function keep(path: string, script: Script, header: Buffer): void {
  try {
    writeFileAtomic(path, Buffer.concat([header, script.createCachedData()]));
  } catch {
    // A directory that belongs to somebody else, or no space.
  }
}
