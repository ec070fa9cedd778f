/** Reads what an agent writes to a hook. */
import type { Readable } from "node:stream";
import { inputDeadline } from "../lib/process/input-deadline.ts";
import { patience } from "./patience.ts";

/** Includes tool results. Longer input is cut off, does not parse and is ignored. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** An agent on a busy machine may write later than it starts the hook. */
const FIRST_MS = 600;

/** Most agents close the pipe at once; the others have written everything by then. */
const SILENCE_MS = 300;

export function readInput(input: Readable, maxCharacters = MAX_CHARACTERS): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    let cancel = (): void => undefined;
    const done = (): void => {
      cancel();
      input.destroy();
      resolve(text);
    };
    const wait = (ms: number): void => {
      cancel();
      cancel = inputDeadline(patience(ms), done);
    };
    wait(FIRST_MS);
    input.setEncoding("utf8");
    input.on("data", (piece: string) => {
      text += piece;
      if (text.length > maxCharacters) done();
      else wait(SILENCE_MS);
    });
    input.on("end", done).on("error", done);
  });
}
