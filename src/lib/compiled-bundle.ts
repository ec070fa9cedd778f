/**
 * Loads a bundle (scripts/loadable.mjs) together with what V8 compiled of it at an earlier run, which lies beside it: most of the
 * time a short command takes is the compiling of code. Where nothing can be written there, all works as well, only later.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { Script } from "node:vm";
import { writeFileAtomic } from "./atomic-file.ts";

/** Before the compiled code, a byte for each kind of run: how many have left theirs in it. As long as V8 wants it aligned. */
const HEADER_BYTES = 16;
/** Of what is compared at once, at least. */
const PIECE_BYTES = 64 * 1024;
/** A run that takes longer than this had something to do, and called other functions than one that had not. */
const LONG_MS = 250;

interface Learning {
  /** Of how many runs of each kind the functions are kept together. */
  runs: number;
  /** How long runs of one kind take at most, and those of the next: what takes longer has done something else. */
  kindsMs?: readonly number[];
  /** For a program that does now this and now that: each use has compiled code of its own, as what others need would have to be read, too. */
  use?: string;
}

/** `later` calls back when it is known which functions a program needs; at the end of a short one. */
export function requireCompiled<T>(
  path: string,
  later = atExit,
  { runs, kindsMs = [LONG_MS], use }: Learning = { runs: 1 },
): T {
  // The bundle's name changes with its contents; V8 itself checks that the code is of this Node, and not that it is whole.
  const compiledPath = `${path}.${use === undefined ? "" : `${use}.`}${process.version}-${process.arch}.compiled`;
  const memory = new Memory();
  const text = memory.read(path).toString("latin1");
  const kept = keptAt(compiledPath, memory);
  const cachedData = kept?.subarray(HEADER_BYTES);
  const script = new Script(text, { filename: path, ...(cachedData ? { cachedData } : {}) });
  const module = { exports: {} as T };
  const body = script.runInThisContext() as (...names: unknown[]) => void;
  body(module.exports, (name: string) => required(name, path), module, path, dirname(path));
  const header = new Uint8Array(HEADER_BYTES);
  if (kept !== undefined && !script.cachedDataRejected) header.set(kept.subarray(0, HEADER_BYTES));
  if (header.subarray(0, kindsMs.length + 1).some((learnt) => learnt < runs)) {
    later(() => {
      const tookMs = process.uptime() * 1000;
      const kind = kindsMs.filter((ms) => ms <= tookMs).length;
      if (header[kind]!++ < runs) keep(compiledPath, script, header);
    });
  }
  return module.exports;
}

/** What finds packages takes longer to load than all else that is done here, and hardly any bundle asks for one. */
function required(name: string, path: string): unknown {
  return process.getBuiltinModule(name) ?? process.getBuiltinModule("node:module").createRequire(path)(name);
}

function atExit(act: () => void): void {
  process.on("exit", act);
}

function keptAt(path: string, memory: Memory): Buffer | undefined {
  try {
    return memory.readPair(path);
  } catch {
    // The first run.
    return undefined;
  }
}

/** Holds one file after the other: memory that was never touched takes longer to get than what is read into it. */
class Memory {
  #bytes = Buffer.alloc(0);

  /** Good until the next is read. */
  read(path: string): Buffer {
    return withFile(path, (fd, size) => this.#readAt(fd, 0, size, 0));
  }

  /** Of a file with everything twice. Undefined when the two are not the same: V8 would run whatever it is given. */
  readPair(path: string): Buffer | undefined {
    return withFile(path, (fd, size) => {
      const half = size >> 1;
      this.#makeRoom(half + PIECE_BYTES);
      const first = this.#readAt(fd, 0, half, 0);
      for (let at = 0; at < half;) {
        const length = Math.min(half - at, this.#bytes.length - half);
        if (!this.#readAt(fd, half + at, length, half).equals(first.subarray(at, at + length))) return undefined;
        at += length;
      }
      return first;
    });
  }

  #readAt(fd: number, position: number, size: number, place: number): Buffer {
    this.#makeRoom(place + size);
    let length = 0;
    for (let more = -1; length < size && more !== 0; length += more) {
      more = readSync(fd, this.#bytes, place + length, size - length, position + length);
    }
    return this.#bytes.subarray(place, place + length);
  }

  #makeRoom(size: number): void {
    if (size > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(size);
  }
}

function withFile<T>(path: string, act: (fd: number, size: number) => T): T {
  const fd = openSync(path, "r");
  try {
    return act(fd, fstatSync(fd).size);
  } finally {
    closeSync(fd);
  }
}

function keep(path: string, script: Script, header: Uint8Array): void {
  try {
    const once = [header, script.createCachedData()];
    writeFileAtomic(path, Buffer.concat([...once, ...once]));
  } catch {
    // A directory that belongs to somebody else, or no space.
  }
}
