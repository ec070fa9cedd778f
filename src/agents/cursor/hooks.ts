/**
 * Cursor's hooks: `hooks.json` in its directory. There are no hooks for one start: Cursor reads only the user's and the
 * project's directories.
 */
import { join } from "node:path";
import type { HookProgram } from "../../core/hooks.ts";
import type { Json } from "../../lib/json/fields.ts";
import { HOOK_TIMEOUT_SECONDS, hookCommand } from "../shared/hook-command.ts";
import type { StatusHooks } from "../status-hooks.ts";

const EVENTS = ["sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "stop", "sessionEnd"];

export const hooks: StatusHooks = {
  target: (env, program) => ({
    kind: "settings",
    path: join(env.home, ".cursor", "hooks.json"),
    entries: entries(program),
    also: { version: 1 },
  }),
  silentAbout: "when it asks for permission: its hooks run whether or not the user is asked",
};

function entries(program: HookProgram): Record<string, Json[]> {
  const hook = { command: hookCommand(program, "cursor"), timeout: HOOK_TIMEOUT_SECONDS };
  return Object.fromEntries(EVENTS.map((name) => [name, [hook]]));
}
