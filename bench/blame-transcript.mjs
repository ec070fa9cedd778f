/** A transcript that a scripted session writes, line by line. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export class Transcript {
  calls = 0;

  constructor({ home, repo, id, now }) {
    Object.assign(this, { home, repo, id, now });
  }

  begin(file, records) {
    this.file = join(this.home, file);
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(this.file, "");
    this.add(...records);
  }

  add(...records) {
    appendFileSync(this.file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  }

  get time() {
    return new Date(this.now()).toISOString();
  }
}
