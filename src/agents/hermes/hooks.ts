/**
 * Hermes' hooks: `hooks` in config.yaml. There are no hooks for one start: they are read from its home only, and the
 * switch that accepts hooks without asking would accept all others too.
 */
import { join } from "node:path";
import { HOOK_TIMEOUT_SECONDS, hookCommand } from "../shared/hook-command.ts";
import type { StatusHooks } from "../status-hooks.ts";
import { QUESTION_TOOL } from "./hook-events.ts";
import { defaultHome } from "./locations.ts";

const EVENTS = [
  ...[
    "on_session_start",
    "on_session_reset",
    "pre_llm_call",
    "pre_tool_call",
    "post_tool_call",
    "pre_approval_request",
  ],
  ...["post_approval_response", "post_llm_call", "on_session_end", "on_session_finalize"],
];

export const hooks: StatusHooks = {
  target: (env, program) => ({
    kind: "yaml",
    path: join(defaultHome(env), "config.yaml"),
    entries: Object.fromEntries(
      EVENTS.map((name) => {
        const hook = { command: hookCommand(program, "hermes"), timeout: HOOK_TIMEOUT_SECONDS };
        return [name, [name === "pre_tool_call" ? { ...hook, matcher: QUESTION_TOOL } : hook]];
      }),
    ),
  }),
  afterInstall:
    "Hermes asks for your consent to each hook at its next start; start it once with --accept-hooks to give it at once.",
};
