/** Qwen Code's hooks: `hooks` in settings.json, or for one start in the lowest layer of its settings. It runs equal ones once. */
import { dirname, join } from "node:path";
import type { HookProgram } from "../../core/hooks.ts";
import { asArray, asObject, type Json } from "../../lib/json/fields.ts";
import { objectIn } from "../../lib/json/json-file.ts";
import type { AgentEnv } from "../adapter.ts";
import { HOOK_TIMEOUT_SECONDS, hookCommand, programIndex } from "../shared/hook-command.ts";
import { signInOf } from "../shared/sign-in.ts";
import type { StatusHooks } from "../status-hooks.ts";
import { qwenDir } from "./locations.ts";

const EVENTS = [
  ...["SessionStart", "UserPromptSubmit", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "Notification"],
  ...["Stop", "StopFailure", "PreCompact", "PostCompact", "SubagentStart", "SubagentStop", "SessionEnd"],
];

/** The path of the lowest layer. */
const DEFAULTS_VARIABLE = "QWEN_CODE_SYSTEM_DEFAULTS_PATH";
const SYSTEM_VARIABLE = "QWEN_CODE_SYSTEM_SETTINGS_PATH";

/** Stands in place of the input line. */
const INITIALIZES = /^ *[⠀-⣿] Initializing\.\.\.$/u;

export const hooks: StatusHooks = {
  isStarting: (screen) => INITIALIZES.test(screen.findLast((row) => row.trim() !== "")?.trimEnd() ?? ""),
  signIn: signInOf({ line: /^Third-party Providers$/, asks: [/Connect a Provider/] }),
  target: (env, program) => ({
    kind: "settings",
    path: join(qwenDir(env), "settings.json"),
    entries: entries(program),
  }),
  launch(argv, { env, program, directory }) {
    if (programIndex(argv, "qwen") === -1) return undefined;
    const defaults = readDefaults(env);
    const theirs = asObject(defaults["hooks"]) ?? {};
    const both = Object.entries(entries(program)).map(([name, ours]) => [
      name,
      [...(asArray(theirs[name]) ?? []), ...ours],
    ]);
    const path = join(directory, "qwen-defaults.json");
    const content = JSON.stringify({ ...defaults, hooks: { ...theirs, ...Object.fromEntries(both) } }, null, 2);
    return { argv: [...argv], env: { [DEFAULTS_VARIABLE]: path }, files: [{ path, content }] };
  },
  titleState(title) {
    if (/^✳\uFE0E? /u.test(title)) return { state: "permission", could_be: ["waiting"] };
    if (/^◐\uFE0E? /u.test(title)) return { state: "working" };
    // A session with a name of its own shows that instead.
    return /^Qwen - /.test(title) ? { state: "idle", could_be: ["done", "error", "stopped"] } : undefined;
  },
};

function entries(program: HookProgram): Record<string, Json[]> {
  const hook = { name: "amux", type: "command", command: hookCommand(program, "qwen"), timeout: HOOK_TIMEOUT_SECONDS };
  return Object.fromEntries(EVENTS.map((name) => [name, [{ hooks: [hook] }]]));
}

function readDefaults(env: AgentEnv): Json {
  const usual = env.platform === "darwin" ? "/Library/Application Support/QwenCode" : "/etc/qwen-code";
  const system = env.vars[SYSTEM_VARIABLE];
  const beside = join(system === undefined ? usual : dirname(system), "system-defaults.json");
  return objectIn(env.vars[DEFAULTS_VARIABLE] ?? beside) ?? {};
}
