/** A JSON-lines file that is written once, front to back, without ever being whole in memory. */
import { closeSync, mkdirSync, openSync, utimesSync, writeSync } from "node:fs";
import { dirname } from "node:path";

const FLUSH_AT = 1 << 20;

export class LineFile {
  path;
  bytes = 0;
  lines = 0;
  #descriptor;
  #pending = "";

  constructor(path) {
    mkdirSync(dirname(path), { recursive: true });
    this.path = path;
    this.#descriptor = openSync(path, "w");
  }

  /** Bytes of the file so far, what is not written yet included. */
  get size() {
    return this.bytes + Buffer.byteLength(this.#pending);
  }

  /** Characters so far: near enough to the bytes to decide when a file is long enough. */
  get length() {
    return this.bytes + this.#pending.length;
  }

  append(record) {
    this.appendLine(JSON.stringify(record));
  }

  appendLine(line) {
    this.#pending += `${line}\n`;
    this.lines++;
    if (this.#pending.length > FLUSH_AT) this.#flush();
  }

  /** Readers go by the time of the last change; it belongs to the corpus. */
  close(modifiedMs) {
    this.#flush();
    closeSync(this.#descriptor);
    utimesSync(this.path, modifiedMs / 1000, modifiedMs / 1000);
  }

  #flush() {
    const buffer = Buffer.from(this.#pending);
    // One call may take only a part of a large buffer.
    for (let done = 0; done < buffer.length; ) done += writeSync(this.#descriptor, buffer, done);
    this.bytes += buffer.length;
    this.#pending = "";
  }
}
