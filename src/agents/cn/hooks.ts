/** What Continue shows of its status. */
import { signInOf } from "../shared/sign-in.ts";
import type { StatusSigns } from "../status-hooks.ts";

export const hooks: StatusSigns = {
  asksOnScreen: true,
  signIn: signInOf({ line: /^Enter your Anthropic API key:/, asks: [/To get started, enter your Anthropic API key/] }),
};
