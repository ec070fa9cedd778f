/**
 * Loads a bundled CommonJS file together with what V8 compiled of it at an earlier run, which lies beside it: most of the
 * time a short command takes is the compiling of code. Where nothing can be written there, all works as well, only later.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";
import { writeFileAtomic } from "./atomic-file.ts";

/** `later` calls back when it is known which functions a program needs; at the end of a short one. */
export function requireCompiled<T>(path: string, later = atExit): T {
  // The bundle's name changes with its contents; V8 itself checks that the code is of this Node.
  const compiledPath = `${path}.${process.version}-${process.arch}.compiled`;
  const cachedData = bytesAt(compiledPath);
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, "utf8")}\n})`,
    {
      filename: path,
      ...(cachedData ? { cachedData } : {}),
    },
  );
  const module = { exports: {} as T };
  const run = script.runInThisContext() as (...names: unknown[]) => void;
  run(module.exports, createRequire(path), module, path, dirname(path));
  if (!cachedData || script.cachedDataRejected) later(() => keep(compiledPath, script));
  return module.exports;
}

function atExit(act: () => void): void {
  process.once("exit", act);
}

function bytesAt(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // The first run.
    return undefined;
  }
}

function keep(path: string, script: Script): void {
  try {
    writeFileAtomic(path, script.createCachedData());
  } catch {
    // A directory that belongs to somebody else, or no space.
  }
}
