/** What Continue shows of its status. */
import { signInOf } from "../shared/sign-in.ts";
import type { StatusSigns } from "../status-hooks.ts";

/** The input line is there while it works, too. */
const INPUT = /^│ ● /;
const WORKS = /^ [^●]*\( \d+s • esc to interrupt .*\)$/;
/** Answers above may say the same. */
const ROWS_BETWEEN = 4;

export const hooks: StatusSigns = {
  asksOnScreen: true,
  screenState(screen) {
    const line = screen.findLastIndex((row) => INPUT.test(row));
    if (line === -1) return undefined;
    return screen.slice(Math.max(0, line - ROWS_BETWEEN), line).some((row) => WORKS.test(row)) ? "working" : "idle";
  },
  signIn: signInOf({ line: /^Enter your Anthropic API key:/, asks: [/To get started, enter your Anthropic API key/] }),
};
