/** A program that prints numbers, a line each, and tells how far it came. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../../support/wait-for.ts";

/** Far more than a runner holds and a local socket takes. */
export const LINES = 250_000;

/** A program that runs seldom may look like this, too; then the test shows less, but nothing wrong. */
const SAME_LOOKS = 10;

export class CountingProgram {
  readonly command: string[];
  readonly #written: string;
  readonly #done: string;

  /** It counts from 1 to `lines`, and leaves its files in `directory`. */
  constructor(directory: string, lines = LINES) {
    this.#written = join(directory, "written");
    this.#done = join(directory, "done");
    const program = `const fs = require("node:fs");
      for (let n = 1; n <= ${lines}; n += 1000) {
        fs.writeSync(1, Array.from({ length: 1000 }, (_, at) => n + at + "\\n").join(""));
        fs.writeFileSync(${JSON.stringify(this.#written)}, String(n));
      }
      fs.writeFileSync(${JSON.stringify(this.#done)}, "");`;
    this.command = [process.execPath, "-e", program];
  }

  get hasEnded(): boolean {
    return existsSync(this.#done);
  }

  /** It writes no more, although it has not ended. */
  async isHeldUp(): Promise<void> {
    let before: string | undefined;
    let same = 0;
    await waitFor("the program to be held up", () => {
      const now = existsSync(this.#written) ? readFileSync(this.#written, "utf8") : undefined;
      same = now !== undefined && now === before ? same + 1 : 0;
      before = now;
      return same === SAME_LOOKS;
    });
    if (this.hasEnded) throw new Error("The program was not held up: it has ended.");
  }
}

/** Of output without carriage returns: the first line that is not its own number. It is the empty one behind the last if all are. */
export function firstWrongLine(lines: readonly string[]): number {
  return lines.findIndex((line, at) => line !== String(at + 1));
}
