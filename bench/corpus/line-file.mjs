/** A JSON-lines file written front to back, never whole in memory. */
import { closeSync, mkdirSync, openSync, utimesSync, writeSync } from "node:fs";
import { dirname } from "node:path";

const FLUSH_AT = 1 << 20;

export class LineFile {
  path;
  /** Including what is not flushed yet. */
  bytes = 0;
  lines = 0;
  #descriptor;
  #pending = [];
  #written = 0;

  constructor(path) {
    mkdirSync(dirname(path), { recursive: true });
    this.path = path;
    this.#descriptor = openSync(path, "w");
  }

  append(record) {
    this.appendLine(JSON.stringify(record));
  }

  appendLine(line) {
    this.#pending.push(line, "\n");
    this.bytes += Buffer.byteLength(line) + 1;
    this.lines++;
    if (this.bytes - this.#written > FLUSH_AT) this.#flush();
  }

  /** Readers use the modification time; it is part of the corpus. */
  close(modifiedMs) {
    this.#flush();
    closeSync(this.#descriptor);
    utimesSync(this.path, modifiedMs / 1000, modifiedMs / 1000);
  }

  #flush() {
    const buffer = Buffer.from(this.#pending.join(""));
    // One call may write only a part of a large buffer.
    for (let done = 0; done < buffer.length;) done += writeSync(this.#descriptor, buffer, done);
    this.#written = this.bytes;
    this.#pending = [];
  }
}

export function bytesIn(files) {
  return files.reduce((sum, file) => sum + file.bytes, 0);
}
