/**
 * Opens and reads thousands of small files without what Node does around the system's own calls, which takes as long as
 * these. What lies below is undocumented and ends the process where it is called otherwise than Node calls it, so it is used
 * only where Node's own functions, as they are written in this version, call it just like that.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { nodeBinding } from "./node-binding.ts";
import { givenAfterPath, givenTo } from "./node-call.ts";

export interface RawFiles {
  /** For reading; gives a number to read it by. Fails as `openSync` does. */
  open(path: string): number;
  /** As `readSync`, with all arguments; they have to be right. */
  read(fd: number, bytes: Buffer, offset: number, length: number, position: number): number;
  size(fd: number): number;
  close(fd: number): void;
}

interface Binding {
  open(path: string, flags: number, mode: number): number;
  read: RawFiles["read"];
  fstat(fd: number, bigint: false, request: undefined, shouldNotThrow: false): Float64Array | undefined;
  close(fd: number): void;
}

/** How Node calls what lies below, in the versions that this was written for. */
const GIVEN = {
  open: "stringToFlags(flags),parseFileMode(mode,'mode',0o666)",
  read: "fd,buffer,offset,length,position",
  close: "fd",
  fstat: "fd,options.bigint,undefined,false",
};
const READ_ONLY = 0;
/** Place of the size in what `fstat` gives. */
const SIZE = 8;
/** Of a file that would be made. */
const MODE = 0o666;

const documented: RawFiles = {
  open: (path) => openSync(path, "r"),
  read: (fd, bytes, offset, length, position) => readSync(fd, bytes, offset, length, position),
  size: (fd) => fstatSync(fd).size,
  close: (fd) => closeSync(fd),
};

let known: { of: typeof openSync; files: RawFiles } | undefined;

/** Node's documented functions where there is nothing below them to call, or where somebody has put others in their place. */
export function rawFiles(): RawFiles {
  if (known?.of !== openSync) {
    const functions = { open: openSync, read: readSync, close: closeSync };
    known = {
      of: openSync,
      files: isCalledSo(functions) ? below(nodeBinding("fs") as Partial<Binding> | undefined) : documented,
    };
  }
  return known.files;
}

/** Whether these are functions of Node's that call it as is known here. */
export function isCalledSo(functions: Record<"open" | "read" | "close", (...args: never[]) => unknown>): boolean {
  const { open, read, close } = functions;
  return (
    givenAfterPath("binding.open", open) === GIVEN.open &&
    givenTo("binding.read", read) === GIVEN.read &&
    givenTo("binding.close", close) === GIVEN.close
  );
}

function below(binding: Partial<Binding> | undefined): RawFiles {
  const { open, read, close, fstat } = binding ?? {};
  if (typeof open !== "function" || typeof read !== "function" || typeof close !== "function") return documented;
  const isKnown = typeof fstat === "function" && givenTo("binding.fstat", fstatSync) === GIVEN.fstat && isRight(fstat);
  return {
    open: (path) => open(path, READ_ONLY, MODE),
    read,
    size: isKnown ? (fd) => fstat(fd, false, undefined, false)![SIZE]! : documented.size,
    close,
  };
}

/** Whether the size is seen to be where it is looked for, of a file that is not likely to change meanwhile. */
function isRight(fstat: Binding["fstat"]): boolean {
  let fd: number;
  try {
    fd = openSync(process.execPath, "r");
  } catch {
    // A Node that was updated while it runs is no longer where it was; one that may not look at /proc does not know where it is.
    return false;
  }
  try {
    return fstat(fd, false, undefined, false)?.[SIZE] === fstatSync(fd).size;
  } finally {
    closeSync(fd);
  }
}
