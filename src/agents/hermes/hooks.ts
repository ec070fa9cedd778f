/**
 * Hermes' hooks: `hooks` in config.yaml. There are no hooks for one start: they are read from its home only, and the
 * switch that accepts hooks without asking would accept all others too.
 */
import { join } from "node:path";
import { HOOK_TIMEOUT_SECONDS, hookCommand } from "../shared/hook-command.ts";
import type { StatusHooks } from "../status-hooks.ts";
import { QUESTION_TOOL } from "./hook-events.ts";
import { defaultHome } from "./locations.ts";

const EVENTS: readonly { name: string; matcher?: string }[] = [
  { name: "on_session_start" },
  { name: "on_session_reset" },
  { name: "pre_llm_call" },
  { name: "pre_tool_call", matcher: QUESTION_TOOL },
  { name: "post_tool_call" },
  { name: "pre_approval_request" },
  { name: "post_approval_response" },
  { name: "post_llm_call" },
  { name: "on_session_end" },
  { name: "on_session_finalize" },
];

export const hooks: StatusHooks = {
  target: (env, program) => ({
    kind: "yaml",
    path: join(defaultHome(env), "config.yaml"),
    entries: Object.fromEntries(
      EVENTS.map(({ name, matcher }) => [
        name,
        [
          {
            command: hookCommand(program, "hermes"),
            timeout: HOOK_TIMEOUT_SECONDS,
            ...(matcher === undefined ? {} : { matcher }),
          },
        ],
      ]),
    ),
  }),
  afterInstall:
    "Hermes asks for your consent to each hook at its next start; start it once with --accept-hooks to give it at once.",
};
