/**
 * The one way to read a foreign file. It refuses FIFOs, devices and sockets instead of blocking, and limits the size of a file
 * read whole.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { AgentMuxError } from "../../core/errors.ts";
import { keptContents } from "./kept-files.ts";

const MB = 1024 * 1024;
/** Settings, indexes and notes of agents. */
const MAX_SIDE_FILE_BYTES = 16 * MB;
/** A conversation stored as one document; V8 strings hold at most 512 MB. */
export const MAX_DOCUMENT_BYTES = 256 * MB;

export class FileRefused extends Error {
  readonly code: "NOT_A_FILE" | "TOO_LARGE" | "EISDIR";

  constructor(code: FileRefused["code"], message: string) {
    super(message);
    this.name = "FileRefused";
    this.code = code;
    // Many callers expect a directory here.
    if (code !== "EISDIR" && refused.size < MAX_NOTED) refused.add(message);
  }
}

const MAX_NOTED = 1000;
const refused = new Set<string>();

/** Files this process refused to read, one sentence each. For `amux doctor`. */
export function refusedFiles(): readonly string[] {
  return [...refused];
}

/** Opens a regular file for reading, or its copy if only that is left. Throws for anything else, and never blocks on a FIFO. */
export function openForReading(asked: string): number {
  const stat = statSync(asked, { throwIfNoEntry: false });
  const path = stat === undefined ? (keptContents(asked) ?? asked) : asked;
  // Checked before opening, which can have side effects on a device, and again after, since the file can be replaced in between.
  refuseUnlessFile(path, stat ?? statSync(path));
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    refuseUnlessFile(path, fstatSync(fd));
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

export function readBytes(path: string, maxBytes = MAX_SIDE_FILE_BYTES): Buffer {
  const fd = openForReading(path);
  try {
    const { size } = fstatSync(fd);
    if (size > maxBytes) throw tooLarge(path, maxBytes);
    return size === 0 ? unsized(path, fd, maxBytes) : sized(fd, size);
  } finally {
    closeSync(fd);
  }
}

/** Bytes that are not UTF-8 become U+FFFD. */
export function readText(path: string, maxBytes = MAX_SIDE_FILE_BYTES): string {
  return readBytes(path, maxBytes).toString("utf8");
}

/** The text of an optional file of settings; undefined if there is none. */
export function settingsText(path: string, maxBytes?: number): string | undefined {
  try {
    return readText(path, maxBytes);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new AgentMuxError("CONFIG_ERROR", `${path} cannot be read (${code}).`, { cause: error });
  }
}

export function refuseUnlessFile(path: string, stat: Stats): void {
  if (stat.isDirectory()) throw new FileRefused("EISDIR", `${path} is a directory.`);
  if (!stat.isFile()) throw new FileRefused("NOT_A_FILE", `${path} is not a regular file.`);
}

function tooLarge(path: string, maxBytes: number): FileRefused {
  return new FileRefused("TOO_LARGE", `${path} is larger than ${Math.floor(maxBytes / MB)} MB.`);
}

/** Reads a growing file up to its size at the start. */
function sized(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let read = 0;
  while (read < size) {
    const got = readSync(fd, bytes, read, size - read, read);
    if (got === 0) break;
    read += got;
  }
  return bytes.subarray(0, read);
}

/** Files in /proc report no size and may be endless. */
function unsized(path: string, fd: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = [];
  for (let total = 0; ;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const got = readSync(fd, chunk, 0, chunk.length, null);
    if (got === 0) return Buffer.concat(chunks);
    total += got;
    if (total > maxBytes) throw tooLarge(path, maxBytes);
    chunks.push(chunk.subarray(0, got));
  }
}
