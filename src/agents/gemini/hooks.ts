/** Gemini CLI's hooks: `hooks` in settings.json, or for one start in the lowest layer of its settings. */
import { join } from "node:path";
import type { HookProgram } from "../../core/hooks.ts";
import { asObject, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv } from "../adapter.ts";
import { signInOf } from "../shared/sign-in.ts";
import { HOOK_TIMEOUT_SECONDS, hookCommand, programIndex } from "../shared/hook-command.ts";
import type { StatusHooks } from "../status-hooks.ts";
import { QUESTION_TOOL } from "./hook-events.ts";
import { geminiDir } from "./locations.ts";
import { objectIn } from "../../lib/json/json-file.ts";

/** Without AfterModel, which comes with every piece of an answer. */
const EVENTS = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "Notification", "AfterAgent", "SessionEnd"];
const MATCHERS: Readonly<Record<string, string>> = { BeforeTool: QUESTION_TOOL };

/** The path of the lowest layer. */
const DEFAULTS_VARIABLE = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH";

export const hooks: StatusHooks = {
  skipsShared: true,
  signIn: signInOf({ line: /^Sign in with Google$/, asks: [/How would you like to authenticate for this project\?/] }),
  target: (env, program) => ({
    kind: "settings",
    path: join(geminiDir(env), "settings.json"),
    entries: entries(program),
  }),
  /**
   * Hooks of a higher layer replace those of a lower one, event by event. In the lowest layer ours yield to the user's; the title
   * still shows the missing states.
   */
  launch(argv, { env, program, directory }) {
    if (programIndex(argv, "gemini") === -1) return undefined;
    const defaults = readDefaults(env);
    const path = join(directory, "gemini-defaults.json");
    const content = JSON.stringify(
      { ...defaults, hooks: { ...entries(program), ...asObject(defaults["hooks"]) } },
      null,
      2,
    );
    return { argv: [...argv], env: { [DEFAULTS_VARIABLE]: path }, files: [{ path, content }] };
  },
  titleState(title) {
    if (/^✋ +Action Required/u.test(title)) return { state: "permission", could_be: ["waiting"] };
    if (/^[✦⏲]\s/u.test(title)) return { state: "working" };
    return /^◇ +Ready/u.test(title) ? { state: "idle", could_be: ["done", "error", "stopped"] } : undefined;
  },
};

function entries(program: HookProgram): Record<string, Json[]> {
  return Object.fromEntries(
    EVENTS.map((name) => {
      const hook = {
        name: "amux",
        type: "command",
        command: hookCommand(program, "gemini"),
        timeout: HOOK_TIMEOUT_SECONDS * 1000,
      };
      return [name, [{ ...optional("matcher", MATCHERS[name]), hooks: [hook] }]];
    }),
  );
}

function readDefaults(env: AgentEnv): Json {
  const usual =
    env.platform === "darwin"
      ? "/Library/Application Support/GeminiCli/system-defaults.json"
      : "/etc/gemini-cli/system-defaults.json";
  return objectIn(env.vars[DEFAULTS_VARIABLE] ?? usual) ?? {};
}
