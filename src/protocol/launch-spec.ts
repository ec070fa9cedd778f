/** Launch instructions for a runner, written to the session's directory by the process that starts it. */
import { Cols, Rows } from "./frames.ts";
import { boolean, integer, list, optional, object, withDefault, text, texts, type Shaped } from "./shape.ts";

/** Prefix that hides variables such as NODE_OPTIONS from the runner's own Node; the runner passes them to the program. */
export const CHILD_VARIABLE_PREFIX = "AMUX_CHILD_";

/** Our variables that a program may see: it is often amux itself, or an agent that runs its hooks. */
export const PUBLIC_VARIABLES: ReadonlySet<string> = new Set([
  "AMUX_HOME",
  "AMUX_SOCKET_DIR",
  "AMUX_HOOKS",
  "AMUX_HOOK_PATIENCE",
]);

/** Lines above the screen that a session keeps. */
export const DEFAULT_HISTORY_LINES = 10_000;

const Words = list(text(), { min: 1 });

const LaunchSpec = object({
  id: text(),
  command: Words,
  /** The actual command, if it differs from the user's: the same with hooks for this start. */
  argv: optional(Words),
  cwd: text(),
  /** Added to the environment the runner was started with. */
  env: withDefault(texts, {}),
  kind: withDefault(text(), "shell"),
  created_at: text(),
  cols: withDefault(Cols, 80),
  rows: withDefault(Rows, 24),
  history_lines: withDefault(integer(0, 200_000), DEFAULT_HISTORY_LINES),
  /** Keeps the output with its times. */
  record: optional(boolean),
  name: optional(text()),
  slug: optional(text()),
  /** The assigned slug, if none was requested. */
  given_slug: optional(text()),
  resume_key: optional(text()),
  adapter_title: optional(text()),
  workspace_root: optional(text()),
  remotes: optional(texts),
});
export type LaunchSpec = Shaped<typeof LaunchSpec>;

type Defaulted = "env" | "kind" | "cols" | "rows" | "history_lines";
export type LaunchSpecInput = Omit<LaunchSpec, Defaulted> & Partial<Pick<LaunchSpec, Defaulted>>;

/** Throws if it is malformed. */
export function launchSpec(value: unknown): LaunchSpec {
  return LaunchSpec(value, "");
}

/** Set for a runner whose starter attaches with `whole`: the first output is held for it. */
export const FOLLOWED_VARIABLE = "AMUX_FOLLOWED";

/** Descriptor on which a runner writes `{ready}` or `{ready: false, message}`, then closes it. */
export const READY_FD_VARIABLE = "AMUX_READY_FD";
