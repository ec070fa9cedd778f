/** Factory Droid's hooks: `hooks` in settings.json, or in a file of settings for one start. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HookProgram } from "../../core/hooks.ts";
import { asArray, asObject, type Json } from "../../lib/json/fields.ts";
import { objectIn } from "../../lib/json/json-file.ts";
import { HOOK_TIMEOUT_SECONDS, hookCommand, programIndex } from "../shared/hook-command.ts";
import { signInOf } from "../shared/sign-in.ts";
import type { StatusHooks } from "../status-hooks.ts";
import { HOOK_SCRIPT } from "../../lib/process/hook-program.ts";
import type { AgentEnv } from "../agent-env.ts";
import { QUESTION_TOOL } from "./hook-events.ts";
import { factoryDir } from "./locations.ts";
import { transcriptState } from "./transcript-state.ts";

const EVENTS = [
  ...["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Notification", "Stop", "PreCompact"],
  "SessionEnd",
];
const MATCHERS: Readonly<Record<string, string>> = { PreToolUse: QUESTION_TOOL };

/** The path of settings for one start; `--settings` sets it too. */
const SETTINGS_VARIABLE = "FACTORY_RUNTIME_SETTINGS_PATH";

export const hooks: StatusHooks = {
  silentAbout: "the end of a compaction",
  transcriptState,
  endsAlike: true,
  signIn: signInOf({ line: /^Login$/, asks: [/Please login with your Factory account/] }),
  target: (env, program) => ({
    kind: "settings",
    path: join(factoryDir(env), "settings.json"),
    entries: entries(program),
  }),
  hiddenBy(env) {
    const path = hooksFile(env);
    const theirs = path === undefined ? {} : objectIn(path);
    const isHidden = (event: string): boolean =>
      theirs === undefined || (event in theirs && !JSON.stringify(theirs[event]).includes(HOOK_SCRIPT));
    const events = EVENTS.filter(isHidden);
    return path === undefined || events.length === 0
      ? undefined
      : `${path} replaces the hooks in settings.json for ${events.join(", ")}. Move them to settings.json.`;
  },
  launch(argv, { env, program, directory }) {
    const index = programIndex(argv, "droid");
    // The user's own file for this start would be replaced.
    if (index === -1 || argv.some((word) => /^--settings(?:=|$)/.test(word))) return undefined;
    const settings = settingsFor(env.vars[SETTINGS_VARIABLE]);
    if (settings === undefined) return undefined;
    const theirs = asObject(settings["hooks"]) ?? {};
    const both = Object.entries(entries(program)).map(([name, ours]) => [
      name,
      [...(asArray(theirs[name]) ?? []), ...ours],
    ]);
    const path = join(directory, "droid-settings.json");
    // Otherwise it prints a line for every call.
    const merged = { showHookOutput: false, ...theirs, ...Object.fromEntries(both) };
    const content = JSON.stringify({ ...settings, hooks: merged }, null, 2);
    return { argv: [...argv], env: { [SETTINGS_VARIABLE]: path }, files: [{ path, content }] };
  },
};

/** Undefined if the user's own cannot be read as plain JSON: without them Droid would start with other settings. */
function settingsFor(path: string | undefined): Json | undefined {
  return path === undefined ? {} : objectIn(path);
}

/** The first of the two is the one that Droid reads. Started by amux, it runs the hooks of all files. */
function hooksFile(env: AgentEnv): string | undefined {
  const folder = factoryDir(env);
  return [join(folder, "hooks.json"), join(folder, "hooks", "hooks.json")].find((path) => existsSync(path));
}

function entries(program: HookProgram): Record<string, Json[]> {
  const hook = { type: "command", command: hookCommand(program, "droid"), timeout: HOOK_TIMEOUT_SECONDS };
  return Object.fromEntries(
    EVENTS.map((name) => [name, [{ ...(MATCHERS[name] && { matcher: MATCHERS[name] }), hooks: [hook] }]]),
  );
}
