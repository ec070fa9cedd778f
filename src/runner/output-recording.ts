/** Keeps a terminal's output with its times, if the user asked for it. What is typed is not kept, only what the program shows. */
import { closeSync, existsSync, fstatSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { openForReading } from "../lib/fs/foreign-file.ts";
import { GrowingFile } from "../lib/fs/growing-file.ts";
import { parseCast } from "../protocol/cast.ts";
import { MAX_RECORDING_BYTES } from "../protocol/recording.ts";
import type { Size } from "./size-owner.ts";

/** The new program finds an empty terminal. */
const RESET = "\x1bc";
const FULL = "The recording ends here: it is full.";
/** Longer than any event. */
const TAIL_BYTES = 1024 * 1024;

export class OutputRecording {
  private readonly file: GrowingFile;
  private readonly onFailure: (error: unknown) => void;
  private readonly decoder = new StringDecoder("utf8");
  private startedAt = performance.now();
  private bytes = 0;
  private isClosed = false;

  /** A file that others cannot read; the recording of an earlier start goes on. */
  constructor(path: string, size: Size, onFailure: (error: unknown) => void) {
    this.file = new GrowingFile(path);
    this.onFailure = onFailure;
    try {
      const earlier = existsSync(path) ? endOf(path) : undefined;
      if (earlier === undefined) this.begin(path, size);
      else this.goOn(earlier, size);
    } catch (error) {
      this.failed(error);
    }
  }

  private begin(path: string, { cols, rows }: Size): void {
    const timestamp = Math.floor(Date.now() / 1000);
    const header = `${JSON.stringify({ version: 2, width: cols, height: rows, timestamp })}\n`;
    writeFileAtomic(path, header);
    this.bytes = header.length;
  }

  private goOn({ bytes, seconds, isCutOff, isFull }: EarlierEnd, size: Size): void {
    this.bytes = bytes;
    this.startedAt -= seconds * 1000;
    if (isFull) return this.close();
    if (isCutOff) this.file.append(Buffer.from("\n"));
    this.add("m", "Started again.");
    this.resized(size);
    this.add("o", RESET);
  }

  /** A character may be split over two pieces. */
  output(piece: Buffer): void {
    const text = this.isClosed ? "" : this.decoder.write(piece);
    if (text !== "") this.add("o", text);
  }

  resized({ cols, rows }: Size): void {
    this.add("r", `${cols}x${rows}`);
  }

  close(): void {
    this.isClosed = true;
    this.file.close();
  }

  private add(kind: string, text: string): void {
    if (this.isClosed) return;
    const seconds = Math.round((performance.now() - this.startedAt) * 1000) / 1_000_000;
    const line = Buffer.from(`${JSON.stringify([seconds, kind, text])}\n`);
    this.bytes += line.length;
    const isFull = this.bytes > MAX_RECORDING_BYTES;
    try {
      // Removed meanwhile: it is not wanted any more.
      const isKept = this.file.append(isFull ? ending(seconds) : line);
      if (!isKept || isFull) this.close();
    } catch (error) {
      this.failed(error);
    }
  }

  /** On a full disk the session matters more. */
  private failed(error: unknown): void {
    this.close();
    this.onFailure(error);
  }
}

function ending(seconds: number): Buffer {
  return Buffer.from(`${JSON.stringify([seconds, "m", FULL])}\n`);
}

interface EarlierEnd {
  bytes: number;
  /** The last event's time. */
  seconds: number;
  /** Its last line has no end. */
  isCutOff: boolean;
  isFull: boolean;
}

/** Undefined if it is no recording. */
function endOf(path: string): EarlierEnd | undefined {
  const fd = openForReading(path);
  try {
    const bytes = fstatSync(fd).size;
    const [header = ""] = textAt(fd, 0, 1024).split("\n");
    const tail = textAt(fd, Math.max(0, bytes - TAIL_BYTES), TAIL_BYTES);
    const last = parseCast(`${header}\n${tail}`);
    if (last === undefined) return undefined;
    const { at = 0, kind, text } = last.events.at(-1) ?? {};
    return { bytes, seconds: at, isCutOff: !tail.endsWith("\n"), isFull: kind === "m" && text === FULL };
  } finally {
    closeSync(fd);
  }
}

function textAt(fd: number, from: number, length: number): string {
  const piece = Buffer.alloc(length);
  return piece.toString("utf8", 0, readSync(fd, piece, 0, length, from));
}
