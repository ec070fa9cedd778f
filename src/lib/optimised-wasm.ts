/**
 * WebAssembly with the code that V8 optimised at an earlier run, which lies beside the program: what is compiled first runs at half the
 * speed, and to optimise it takes longer than a list of thousands of sessions. V8 has functions for that, which Node does not
 * document, so they are called only in the version they were tried with, and in a program's own short process.
 */
import { readFileSync } from "node:fs";
import { Script } from "node:vm";
import { AtomicFile } from "./atomic-file.ts";
import { asUsual, isWasmPlain } from "./compile-later.ts";
import { compiledForLittle, isShort, repeatsLittle } from "./short-run.ts";
import { setV8Flags } from "./v8-flags.ts";
import { compileWasm, type WasmModule } from "./wasm.ts";

/** The only one in which they were tried: Node 20's. */
const TRIED_V8 = "11.3.";

/** Before a module's text, its bytes and its code: how long each of them is. */
const HEADER_BYTES = 12;

interface Natives {
  serialize(module: WasmModule): ArrayBuffer;
  /** Undefined for code of another V8, another processor or other flags. */
  deserialize(code: ArrayBuffer, bytes: Uint8Array): WasmModule | undefined;
}

let isAsked = false;

/** Does work of which much is done by WebAssembly, and which no other thread helps with: the flags are those of all of them. */
export async function withOptimisedWasm<T>(work: () => Promise<T>): Promise<T> {
  isAsked = true;
  try {
    return await work();
  } finally {
    isAsked = false;
  }
}

/**
 * As `compileWasm`, for a module of which much is asked, in such work or in one that is soon done: in the course of others V8
 * optimises what they need. And for any module in a process that repeats little: to load its code takes a third of compiling it.
 * Where its code was not kept, it is made and kept now.
 */
export function compileOptimised(base64: string): WasmModule {
  const isWanted = repeatsLittle() || (isShort() && (isAsked || isWasmPlain()));
  if (!isWanted || !process.versions.v8.startsWith(TRIED_V8)) return compiledForLittle(() => compileWasm(base64));
  const path = `${import.meta.filename}.${base64.length}.${process.version}-${process.arch}.optimised`;
  const kept = keptAt(path, base64);
  // Code of a process with other flags is not taken.
  const module = asUsual(() => (kept && natives()?.deserialize(kept.code, kept.bytes)) ?? keptNow(path, base64));
  return module ?? compiledForLittle(() => compileWasm(base64));
}

/** Optimised only where that can be kept; undefined elsewhere. */
function keptNow(path: string, base64: string): WasmModule | undefined {
  let file: AtomicFile;
  try {
    file = new AtomicFile(path);
  } catch {
    // A directory that belongs to somebody else.
    return undefined;
  }
  try {
    const module = optimised(base64);
    const code = natives()?.serialize(module);
    if (code === undefined) file.abort();
    else {
      file.write(contentsOf(base64, code));
      file.commit();
    }
    return module;
  } catch (error) {
    file.abort();
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    // No space.
    return undefined;
  }
}

/** All of it at once, which V8 does by itself only for what is called often. */
function optimised(base64: string): WasmModule {
  // By the first two V8 sets the others, too.
  const flags = ["liftoff", "wasm-lazy-compilation", "wasm-tier-up", "wasm-dynamic-tiering"];
  setV8Flags(flags.map((flag) => `--no-${flag}`));
  try {
    return compileWasm(base64);
  } finally {
    setV8Flags(flags.map((flag) => `--${flag}`));
  }
}

/** All of it twice: to compare it takes no time, and to load anything that makes a sum of it takes longer than all else here. */
function contentsOf(base64: string, code: ArrayBuffer): Buffer {
  const bytes = Buffer.from(base64, "base64");
  const lengths = Uint32Array.of(base64.length, bytes.length, code.byteLength);
  const once = [new Uint8Array(lengths.buffer), Buffer.from(base64, "latin1"), bytes, new Uint8Array(code)];
  return Buffer.concat([...once, ...once]);
}

interface Kept {
  bytes: Uint8Array;
  code: ArrayBuffer;
}

/** Undefined when there is none, it is another module's, or it is not as it was written: V8 would run whatever it is given. */
function keptAt(path: string, base64: string): Kept | undefined {
  let kept: Buffer;
  try {
    kept = readFileSync(path);
  } catch {
    // The first run.
    return undefined;
  }
  const half = kept.length >> 1;
  if (half < HEADER_BYTES || !kept.subarray(0, half).equals(kept.subarray(half))) return undefined;
  const { buffer, byteOffset } = kept;
  const [textLength, bytesLength, codeLength] = new Uint32Array(buffer.slice(byteOffset, byteOffset + HEADER_BYTES));
  const bytesAt = HEADER_BYTES + textLength!;
  const codeAt = bytesAt + bytesLength!;
  if (codeAt + codeLength! !== half || kept.toString("latin1", HEADER_BYTES, bytesAt) !== base64) return undefined;
  const code = buffer.slice(byteOffset + codeAt, byteOffset + half) as ArrayBuffer;
  return { bytes: kept.subarray(bytesAt, codeAt), code };
}

let known: { natives: Natives | undefined } | undefined;

/** V8's functions; undefined where it does not know them by these names. */
function natives(): Natives | undefined {
  known ??= { natives: named() };
  return known.natives;
}

function named(): Natives | undefined {
  setV8Flags(["--allow-natives-syntax"]);
  try {
    return new Script(NATIVES).runInThisContext() as Natives;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  } finally {
    setV8Flags(["--no-allow-natives-syntax"]);
  }
}

/** In parentheses, by which V8 parses what is in a function at once, and not when it is called. */
const NATIVES = `({
  serialize: (function (module) { return %SerializeWasmModule(module); }),
  deserialize: (function (code, bytes) { return %DeserializeWasmModule(code, bytes); }),
})`;
