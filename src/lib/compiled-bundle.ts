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

/** Before the compiled code: how many runs of each use have left theirs in it, short ones and long ones. */
const HEADER_BYTES = 16;
/** A run that takes longer than this had something to do, and called other functions than one that had not. */
const LONG_MS = 250;

/**
 * Of how many runs the functions are kept together, for a program that does now this and now that: of each use, told by a
 * number below 8, and of short and long ones.
 */
interface Learning {
  runs: number;
  use: number;
}

/** `later` calls back when it is known which functions a program needs; at the end of a short one. */
export function requireCompiled<T>(path: string, later = atExit, { runs, use }: Learning = { runs: 1, use: 0 }): T {
  // The bundle's name changes with its contents; V8 itself checks that the code is of this Node.
  const compiledPath = `${path}.${process.version}-${process.arch}.compiled`;
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
  const [short, long] = [2 * use, 2 * use + 1];
  if (header[short]! < runs || header[long]! < runs) {
    later(() => {
      const kind = process.uptime() * 1000 < LONG_MS ? short : long;
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
