/**
 * WebAssembly with the code that V8 optimised at an earlier run, which lies beside the program: what is compiled first runs at half the
 * speed, and to optimise it takes longer than a list of thousands of sessions. V8 has functions for that, which Node does not
 * document, so they are called only in the version they were tried with, and in a program's own short process.
 */
import { readFileSync } from "node:fs";
import { Script } from "node:vm";
import { AtomicFile } from "./atomic-file.ts";
import { checksumOf } from "./checksum.ts";
import { isWasmPlain, plainly } from "./compile-later.ts";
import { compiledForLittle, isShort, repeatsLittle } from "./short-run.ts";
import { setV8Flags } from "./v8-flags.ts";
import { compileWasm, type WasmModule } from "./wasm.ts";

/** The only one in which they were tried: Node 20's. */
const TRIED_V8 = "11.3.";

/** Before a module's bytes and its code: how long both are, and a checksum of them. */
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
  const bytes = Buffer.from(base64, "base64");
  const path = `${import.meta.filename}.${bytes.length}.${process.version}-${process.arch}.optimised`;
  const code = codeAt(path, bytes);
  // Code of a process with other flags is not taken.
  const module = plainly(() => {
    const kept = code && withNatives(({ deserialize }) => deserialize(code, bytes));
    return kept ?? keptNow(path, base64, bytes);
  });
  return module ?? compiledForLittle(() => compileWasm(base64));
}

/** Optimised only where that can be kept; undefined elsewhere. */
function keptNow(path: string, base64: string, bytes: Buffer): WasmModule | undefined {
  let file: AtomicFile;
  try {
    file = new AtomicFile(path);
  } catch {
    // A directory that belongs to somebody else.
    return undefined;
  }
  try {
    const module = optimised(base64);
    const code = withNatives(({ serialize }) => serialize(module));
    if (code === undefined) file.abort();
    else {
      file.write(contentsOf(bytes, Buffer.from(code)));
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
  setV8Flags(["--no-liftoff", "--no-wasm-lazy-compilation"]);
  try {
    return compileWasm(base64);
  } finally {
    setV8Flags(["--liftoff", "--wasm-lazy-compilation"]);
  }
}

function contentsOf(bytes: Buffer, code: Buffer): Buffer {
  const contents = Buffer.concat([Buffer.alloc(HEADER_BYTES), bytes, code]);
  contents.writeUInt32LE(bytes.length, 0);
  contents.writeUInt32LE(code.length, 4);
  contents.writeUInt32LE(checksumOf(contents.subarray(HEADER_BYTES)), 8);
  return contents;
}

/** Undefined when there is none, it is another module's, or it is not as it was written: V8 would run whatever it is given. */
function codeAt(path: string, bytes: Buffer): ArrayBuffer | undefined {
  let kept: Buffer;
  try {
    kept = readFileSync(path);
  } catch {
    // The first run.
    return undefined;
  }
  const start = HEADER_BYTES + bytes.length;
  if (kept.length < start || kept.readUInt32LE(0) !== bytes.length) return undefined;
  if (kept.readUInt32LE(4) !== kept.length - start || !kept.subarray(HEADER_BYTES, start).equals(bytes))
    return undefined;
  if (kept.readUInt32LE(8) !== checksumOf(kept.subarray(HEADER_BYTES))) return undefined;
  return kept.buffer.slice(kept.byteOffset + start, kept.byteOffset + kept.length) as ArrayBuffer;
}

let known: Natives | undefined;

/** Does something with V8's functions; undefined where it does not know them by these names. */
function withNatives<T>(work: (natives: Natives) => T): T | undefined {
  // For as long as they are called, too: what is in a function is parsed when that is called first.
  setV8Flags(["--allow-natives-syntax"]);
  try {
    known ??= new Script(NATIVES).runInThisContext() as Natives;
    return work(known);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  } finally {
    setV8Flags(["--no-allow-natives-syntax"]);
  }
}

const NATIVES = `({
  serialize: (module) => %SerializeWasmModule(module),
  deserialize: (code, bytes) => %DeserializeWasmModule(code, bytes),
})`;
