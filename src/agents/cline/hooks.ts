/** What the Cline CLI shows of its status. Its hooks are of no use: a background program runs them, for all terminals alike. */
import { signInOf } from "../shared/sign-in.ts";
import type { StatusSigns } from "../status-hooks.ts";
import { isAtWork } from "./at-work.ts";

/** Above and below the input line, which is there while it works, too. */
const RULE = /^ *─{20,}$/;
const INPUT = /^ *❯/;
/** The mark of what is going on; texts begin further right. */
const WORKS = /^ [⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /;

export const hooks: StatusSigns = {
  asksOnScreen: true,
  dialogsIgnorePastes: true,
  screenState(screen) {
    const line = screen.findLastIndex((row, index) => INPUT.test(row) && RULE.test(screen[index - 1] ?? ""));
    if (line === -1) return undefined;
    return screen.slice(0, line).some((row) => WORKS.test(row)) ? "working" : "idle";
  },
  isAtWork,
  signIn: signInOf({ line: /^\S Sign in with ClinePass$/, asks: [/Connect a model provider to get started/] }),
};
