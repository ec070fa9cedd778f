/** Kimi Code's hooks: `[[hooks]]` in config.toml. There are none for one start: it reads them from its home only. */
import { join } from "node:path";
import { optional } from "../../lib/values/optional.ts";
import { HOOK_TIMEOUT_SECONDS, hookCommand } from "../shared/hook-command.ts";
import { signInOf } from "../shared/sign-in.ts";
import type { StatusHooks } from "../status-hooks.ts";
import { QUESTION_TOOL } from "./hook-events.ts";
import { kimiDir } from "./locations.ts";

const EVENTS = [
  ...["SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PermissionResult", "PostToolUse"],
  ...["PostToolUseFailure", "Stop", "StopFailure", "Interrupt", "PreCompact", "PostCompact", "SessionEnd"],
];
const MATCHERS: Readonly<Record<string, string>> = { PreToolUse: QUESTION_TOOL };

export const hooks: StatusHooks = {
  silentAbout: "that a question was answered, until the next tool or the end of the turn",
  signIn: signInOf({ line: /^Model: +not set, run \/login/, asks: [/Run \/login or \/provider to get started/] }),
  target: (env, program) => ({
    kind: "toml",
    path: join(kimiDir(env), "config.toml"),
    tables: EVENTS.map((event) => ({
      event,
      ...optional("matcher", MATCHERS[event]),
      command: hookCommand(program, "kimi"),
      timeout: HOOK_TIMEOUT_SECONDS,
    })),
  }),
};
