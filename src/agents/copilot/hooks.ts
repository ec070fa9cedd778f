/** Copilot CLI's hooks: `hooks` in settings.json, or a plug-in directory for one start. */
import { join } from "node:path";
import type { HookProgram } from "../../core/hooks.ts";
import type { Json } from "../../lib/json/fields.ts";
import { isAtLeast } from "../../lib/process/version.ts";
import { telling } from "../shared/hook-reports.ts";
import { HOOK_TIMEOUT_SECONDS, hookCommand, programIndex } from "../shared/hook-command.ts";
import { ENDED, lastState } from "../shared/last-state.ts";
import type { ProcessState, StatusHooks } from "../status-hooks.ts";
import { stateAfter } from "./format.ts";
import { copilotDir } from "./locations.ts";

const EVENTS = [
  "sessionStart",
  "userPromptSubmitted",
  "postToolUse",
  "postToolUseFailure",
  "notification",
  "agentStop",
  "subagentStart",
  "subagentStop",
  "errorOccurred",
  "sessionEnd",
];

/** Older versions do not know `--plugin-dir` and would not start. */
const WITH_PLUGIN_DIRECTORIES = "1.0.60";

export const hooks: StatusHooks = {
  transcriptState,
  target: (env, program) => ({
    kind: "settings",
    path: join(copilotDir(env), "settings.json"),
    entries: entries(program),
  }),
  launch(argv, { program, directory, version }) {
    const index = programIndex(argv, "copilot");
    if (index === -1 || !isAtLeast(version, WITH_PLUGIN_DIRECTORIES)) return undefined;
    const plugin = join(directory, "copilot-plugin");
    return {
      argv: [...argv.slice(0, index + 1), "--plugin-dir", plugin, ...argv.slice(index + 1)],
      env: {},
      files: [
        {
          path: join(plugin, "plugin.json"),
          content: JSON.stringify({ name: "amux-status", version: "1.0.0", hooks: "hooks.json" }),
        },
        { path: join(plugin, "hooks.json"), content: JSON.stringify({ version: 1, hooks: entries(program) }) },
      ],
    };
  },
};

function entries(program: HookProgram): Record<string, Json[]> {
  return Object.fromEntries(
    EVENTS.map((name) => [
      name,
      [{ type: "command", bash: hookCommand(program, "copilot", name), timeoutSec: HOOK_TIMEOUT_SECONDS }],
    ]),
  );
}

/** The state at the end of a Copilot session's events. Only this transcript also has permission requests. */
export function transcriptState(records: readonly Json[]): ProcessState | undefined {
  return lastState(records, (record) => {
    const { state, text } = stateAfter(record) ?? {};
    if (state === undefined) return undefined;
    return state === "idle" ? ENDED : { state, ...telling(text) };
  });
}
