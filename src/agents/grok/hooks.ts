/** Grok Build's hooks: a file of its own in `hooks`. There are none for one start: it reads them from its home only. */
import { join } from "node:path";
import type { HookProgram } from "../../core/hooks.ts";
import { HOOK_TIMEOUT_SECONDS, namelessHookCommand } from "../shared/hook-command.ts";
import { signInOf } from "../shared/sign-in.ts";
import type { StatusHooks } from "../status-hooks.ts";
import { QUESTION_TOOL } from "./hook-events.ts";
import { grokDir } from "./locations.ts";

const EVENTS = [
  ...["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied"],
  ...["Notification", "Stop", "StopFailure", "StopCancelled", "PreCompact", "PostCompact", "SessionEnd"],
];
const MATCHERS: Readonly<Record<string, string>> = { PreToolUse: QUESTION_TOOL };

export const hooks: StatusHooks = {
  signIn: signInOf({ line: /^Login with Grok\s+l$/, asks: [/Login with Grok/] }),
  target: (env, program) => ({
    kind: "file",
    path: join(grokDir(env), "hooks", "agent-mux.json"),
    content: `${JSON.stringify({ hooks: entries(program) }, null, 2)}\n`,
  }),
  titleState(title) {
    if (/^⚠ Action Required - /u.test(title)) return { state: "permission", could_be: ["waiting"] };
    if (/^[\u2800-\u28FF] - Running: Ask: /u.test(title)) return { state: "waiting" };
    // Its hook has reported the question already.
    if (/^[\u2800-\u28FF] - Running(?: \w+ hook…|: ask_user_question) - /u.test(title)) return undefined;
    if (/^[\u2800-\u28FF] - /u.test(title)) return { state: "working" };
    return / - grok$/.test(title) ? { state: "idle", could_be: ["done", "error", "stopped"] } : undefined;
  },
};

function entries(program: HookProgram): Record<string, unknown[]> {
  const hook = { type: "command", command: namelessHookCommand(program, "grok"), timeout: HOOK_TIMEOUT_SECONDS };
  return Object.fromEntries(
    EVENTS.map((event) => [event, [{ ...(MATCHERS[event] && { matcher: MATCHERS[event] }), hooks: [hook] }]]),
  );
}
