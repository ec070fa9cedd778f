/** Keeps a terminal's output with its times, if the user asked for it. What is typed is not kept, only what the program shows. */
import { StringDecoder } from "node:string_decoder";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { GrowingFile } from "../lib/fs/growing-file.ts";
import { MAX_RECORDING_BYTES } from "../protocol/recording.ts";
import type { Size } from "./size-owner.ts";

export class OutputRecording {
  private readonly file: GrowingFile;
  private readonly onFailure: (error: unknown) => void;
  private readonly decoder = new StringDecoder("utf8");
  private readonly startedAt = performance.now();
  private bytes: number;
  private isClosed = false;

  /** A file that others cannot read; one of an earlier start is replaced. */
  constructor(path: string, { cols, rows }: Size, onFailure: (error: unknown) => void) {
    this.file = new GrowingFile(path);
    this.onFailure = onFailure;
    const timestamp = Math.floor(Date.now() / 1000);
    const header = `${JSON.stringify({ version: 2, width: cols, height: rows, timestamp })}\n`;
    this.bytes = header.length;
    try {
      writeFileAtomic(path, header);
    } catch (error) {
      this.failed(error);
    }
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
  return Buffer.from(`${JSON.stringify([seconds, "m", "The recording ends here: it is full."])}\n`);
}
