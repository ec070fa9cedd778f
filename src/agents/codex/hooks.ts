/**
 * Codex's hooks: `hooks.json`, or `-c hooks.…` for one start. Codex runs only hooks with a trusted hash; our start passes the
 * hashes of exactly our own.
 */
import { join } from "node:path";
import type { HookProgram } from "../../core/hooks.ts";
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { isAtLeast } from "../../lib/process/version.ts";
import { sha256 } from "../../lib/values/sha256.ts";
import { signInOf } from "../shared/sign-in.ts";
import {
  HOOK_TIMEOUT_SECONDS,
  hookCommand,
  programIndex,
  WAITING_HOOK_TIMEOUT_SECONDS,
} from "../shared/hook-command.ts";
import type { StatusHooks } from "../status-hooks.ts";
import { QUESTION_TOOL } from "./hook-events.ts";
import { codexHome } from "./locations.ts";
import { transcriptState } from "./transcript-state.ts";

/** The first version that accepts hooks on its command line, and the version that all events were recorded with. */
const FIRST = "0.135.0";
const RECORDED = "0.166.0";

const EVENTS: readonly { name: string; key: string; since?: string; matcher?: string; waits?: boolean }[] = [
  { name: "SessionStart", key: "session_start" },
  { name: "UserPromptSubmit", key: "user_prompt_submit" },
  { name: "PreToolUse", key: "pre_tool_use", matcher: QUESTION_TOOL },
  { name: "PermissionRequest", key: "permission_request", waits: true },
  { name: "PostToolUse", key: "post_tool_use" },
  { name: "Stop", key: "stop" },
  { name: "Interrupt", key: "interrupt", since: RECORDED },
  { name: "SubagentStart", key: "subagent_start", since: RECORDED },
  { name: "SubagentStop", key: "subagent_stop", since: RECORDED },
  { name: "PreCompact", key: "pre_compact", since: RECORDED },
  { name: "PostCompact", key: "post_compact", since: RECORDED },
  { name: "SessionEnd", key: "session_end", since: RECORDED },
];

/** Codex's name for the source of command-line settings. */
const COMMAND_LINE = "/<session-flags>/config.toml";

export const hooks: StatusHooks = {
  transcriptState,
  signIn: signInOf({
    line: /^Welcome to Codex, OpenAI's/,
    asks: [
      /Choose how you want to use Codex/,
      /Finish signing in via your browser/,
      /Paste or type your API key/,
      // Other ways, and its answer to each.
      /Welcome to Codex/,
    ],
  }),
  target: (env, program, version) => ({
    kind: "settings",
    path: join(codexHome(env), "hooks.json"),
    entries: Object.fromEntries(
      eventsOf(version).map((event) => [
        event.name,
        [{ ...optional("matcher", event.matcher), hooks: [handler(event, program)] }],
      ]),
    ),
  }),
  afterInstall: "Codex runs hooks only after you have trusted them: start codex, type /hooks, and trust those of amux.",
  launch(argv, { program, version }) {
    const index = programIndex(argv, "codex");
    // A version without hooks on the command line may refuse to start with them.
    if (index === -1 || !isAtLeast(version, FIRST) || argv.some((word) => /^(?:-c)?hooks[.=]/.test(word)))
      return undefined;
    const events = eventsOf(version);
    const settings = [
      "features.hooks=true",
      ...events.map(
        (event) =>
          `hooks.${event.name}=[{${event.matcher === undefined ? "" : `matcher=${toml(event.matcher)},`}hooks=[${handlerToml(event, program)}]}]`,
      ),
      `hooks.state={${events.map((event) => trustToml(event, program)).join(",")}}`,
    ];
    const options = settings.flatMap((setting) => ["-c", setting]);
    return { argv: [...argv.slice(0, index + 1), ...options, ...argv.slice(index + 1)], env: {}, files: [] };
  },
  titleState(title) {
    if (/^\[ [!.] \] Action Required/.test(title)) return { state: "permission", could_be: ["waiting"] };
    if (/^[⠁-⣿] /u.test(title)) return { state: "working" };
    return title === "" ? undefined : { state: "idle", could_be: ["done", "error", "stopped"] };
  },
};

type Event = (typeof EVENTS)[number];

/** One hook for one start, with its trusted hash. */
export function commandLineHook(
  { name, key }: Pick<Event, "name" | "key">,
  command: string,
  timeout: number,
): string[] {
  const hook = `{type="command",command=${toml(command)},timeout=${timeout}}`;
  const trust = `${toml(`${COMMAND_LINE}:${key}:0:0`)}={trusted_hash=${toml(trustHash(key, undefined, command, timeout))}}`;
  const settings = ["features.hooks=true", `hooks.${name}=[{hooks=[${hook}]}]`, `hooks.state={${trust}}`];
  return settings.flatMap((setting) => ["-c", setting]);
}

function eventsOf(version: string | undefined): Event[] {
  return EVENTS.filter(({ since }) => since === undefined || isAtLeast(version, since));
}

function timeoutOf({ waits }: Event): number {
  return waits === true ? WAITING_HOOK_TIMEOUT_SECONDS : HOOK_TIMEOUT_SECONDS;
}

function handler(event: Event, program: HookProgram): Json {
  return { type: "command", command: hookCommand(program, "codex"), timeout: timeoutOf(event) };
}

function handlerToml(event: Event, program: HookProgram): string {
  return `{type="command",command=${toml(hookCommand(program, "codex"))},timeout=${timeoutOf(event)}}`;
}

function trustToml(event: Event, program: HookProgram): string {
  const { key, matcher } = event;
  const hash = trustHash(key, matcher, hookCommand(program, "codex"), timeoutOf(event));
  return `${toml(`${COMMAND_LINE}:${key}:0:0`)}={trusted_hash=${toml(hash)}}`;
}

/** SHA-256 over the hook as Codex normalizes it: compact JSON, sorted keys, defaults filled in. */
export function trustHash(
  event: string,
  matcher: string | undefined,
  command: string,
  timeout = HOOK_TIMEOUT_SECONDS,
): string {
  const hook = { async: false, command, timeout, type: "command" };
  const identity = { event_name: event, hooks: [hook], ...optional("matcher", matcher) };
  return `sha256:${sha256(JSON.stringify(identity))}`;
}

/** A basic TOML string; JSON escapes the same characters the same way. */
function toml(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
