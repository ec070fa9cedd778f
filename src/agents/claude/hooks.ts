/** Claude Code's hooks: `hooks` in settings.json, or in the argument of `--settings` for one start. */
import { join } from "node:path";
import type { HookedLaunch, HookProgram } from "../../core/hooks.ts";
import { asArray, asObject, type Json } from "../../lib/json/fields.ts";
import { isAtLeast } from "../../lib/process/version.ts";
import {
  HOOK_TIMEOUT_SECONDS,
  hookCommand,
  programIndex,
  statusLineCommand,
  WAITING_HOOK_TIMEOUT_SECONDS,
} from "../shared/hook-command.ts";
import type { StatusHooks } from "../status-hooks.ts";
import { configDirs } from "./locations.ts";
import { processState } from "./process-state.ts";
import { transcriptState } from "./transcript-state.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

/**
 * The first version that knows each event. An older one rejects the whole settings file ("Invalid key in record"), so write no
 * event newer than the installed version.
 */
const EVENTS: readonly { name: string; since?: string; matcher?: string; waits?: boolean }[] = [
  { name: "SessionStart" },
  { name: "UserPromptSubmit" },
  { name: "PreToolUse", matcher: "AskUserQuestion" },
  { name: "PostToolUse" },
  { name: "Notification" },
  { name: "Stop" },
  { name: "SubagentStop" },
  { name: "SessionEnd" },
  { name: "SubagentStart", since: "2.0.45" },
  { name: "PermissionRequest", since: "2.0.45", waits: true },
  { name: "PreCompact", since: "2.1.76" },
  { name: "PostCompact", since: "2.1.76" },
  { name: "PostToolUseFailure", since: "2.1.78" },
  { name: "StopFailure", since: "2.1.78" },
  { name: "TeammateIdle", since: "2.1.78" },
  { name: "TaskCompleted", since: "2.1.78" },
];

export const hooks: StatusHooks = {
  transcriptState,
  processState,
  target: (env, program, version) => ({
    kind: "settings",
    path: join(configDirs(env)[0]!, "settings.json"),
    entries: entries(program, version),
    statusLine: statusLineCommand(program),
  }),
  launch(argv, { program, version }) {
    const index = programIndex(argv, "claude");
    if (index === -1) return undefined;
    const given = takeSettings(argv.slice(index + 1));
    if (given === undefined) return undefined;
    const ours: Json = { hooks: entries(program, version) };
    const settings = given.settings.reduce(merged, ours);
    return launched([...argv.slice(0, index + 1), "--settings", JSON.stringify(settings), ...given.rest]);
  },
  titleState(title) {
    if (/^[◐◑⠁-⣿] /u.test(title)) return { state: "working" };
    // A dialog looks the same in the title.
    return title.startsWith("✳ ")
      ? { state: "idle", could_be: ["done", "permission", "waiting", "error", "stopped"] }
      : undefined;
  },
};

function entries(program: HookProgram, version: string | undefined): Record<string, Json[]> {
  const known = EVENTS.filter(({ since }) => since === undefined || isAtLeast(version, since));
  return Object.fromEntries(
    known.map(({ name, matcher, waits }) => {
      const timeout = waits === true ? WAITING_HOOK_TIMEOUT_SECONDS : HOOK_TIMEOUT_SECONDS;
      const hook = { type: "command", command: hookCommand(program, "claude"), timeout };
      return [name, [{ ...(matcher === undefined ? {} : { matcher }), hooks: [hook] }]];
    }),
  );
}

function launched(argv: string[]): HookedLaunch {
  return { argv, env: {}, files: [] };
}

/** Claude Code accepts `--settings` once, so the user's are merged into ours. Undefined if they cannot be read. */
function takeSettings(args: readonly string[]): { rest: string[]; settings: Json[] } | undefined {
  const rest: string[] = [];
  const settings: Json[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index]!;
    if (word === "--") return { rest: [...rest, ...args.slice(index)], settings };
    const value = word === "--settings" ? args[++index] : /^--settings=(.*)$/s.exec(word)?.[1];
    if (word !== "--settings" && value === undefined) {
      rest.push(word);
      continue;
    }
    const parsed = value === undefined ? undefined : readSettings(value);
    if (parsed === undefined) return undefined;
    settings.push(parsed);
  }
  return { rest, settings };
}

function readSettings(value: string): Json | undefined {
  try {
    return asObject(JSON.parse(value.trimStart().startsWith("{") ? value : readText(value)));
  } catch {
    return undefined; // The program reports what is wrong with it.
  }
}

/** Merges objects and concatenates lists; otherwise the user's value wins. */
function merged(base: Json, over: Json): Json {
  const result: Json = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const [mine, theirs] = [asObject(base[key]), asObject(value)];
    const [list, more] = [asArray(base[key]), asArray(value)];
    result[key] = mine && theirs ? merged(mine, theirs) : list && more ? [...list, ...more] : value;
  }
  return result;
}
