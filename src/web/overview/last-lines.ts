/** The lines of a screen that say something. */

/** Enough to find them above an agent's input box. */
export const LINES_READ = 24;
const SHOWN = 3;

/** Frames, rules and empty prompts of an agent's input box. */
const DECORATION = /^[\s\u2500-\u259f>❯›│|_=*-]*$/u;

/** The last lines, without empty ones and frames. */
export function lastLines(screen: string): string[] {
  return screen
    .split("\n")
    .filter((line) => !DECORATION.test(line))
    .map((line) => line.replaceAll(/^\s*[│┃]\s?|\s*[│┃]?\s*$/gu, ""))
    .slice(-SHOWN);
}
