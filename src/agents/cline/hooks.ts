/** What the Cline CLI shows of its status. Its hooks are of no use: a background program runs them, for all terminals alike. */
import { signInOf } from "../shared/sign-in.ts";
import type { StatusSigns } from "../status-hooks.ts";

export const hooks: StatusSigns = {
  asksOnScreen: true,
  dialogsIgnorePastes: true,
  signIn: signInOf({ line: /^\S Sign in with ClinePass$/, asks: [/Connect a model provider to get started/] }),
};
