/** What a runner is told about the session it is to hold, left in the session's directory by whoever starts it. */
import { Cols, Rows } from "./frames.ts";
import { integer, list, maybe, object, otherwise, text, texts, type Shaped } from "./shape.ts";

/**
 * Variables such as NODE_OPTIONS, which Node reads at its own start, are meant for the program: whoever starts a
 * runner hides them from it behind this prefix, and the runner gives them to the program.
 */
export const CHILD_VARIABLE_PREFIX = "AMUX_CHILD_";

/** Lines above the screen that a session keeps. */
export const DEFAULT_HISTORY_LINES = 10_000;

const Words = list(text(), { min: 1 });

const LaunchSpec = object({
  id: text(),
  command: Words,
  /** What is really started, where that is more than the command a user knows: the same with hooks for this start. */
  argv: maybe(Words),
  cwd: text(),
  /** Set for the child on top of the environment the runner was started with. */
  env: otherwise(texts, {}),
  kind: otherwise(text(), "shell"),
  created_at: text(),
  cols: otherwise(Cols, 80),
  rows: otherwise(Rows, 24),
  history_lines: otherwise(integer(0, 200_000), DEFAULT_HISTORY_LINES),
  name: maybe(text()),
  slug: maybe(text()),
  /** What it goes by where nobody asked for a slug. */
  given_slug: maybe(text()),
  resume_key: maybe(text()),
  adapter_title: maybe(text()),
  workspace_root: maybe(text()),
  remotes: maybe(texts),
});
export type LaunchSpec = Shaped<typeof LaunchSpec>;

type Defaulted = "env" | "kind" | "cols" | "rows" | "history_lines";
export type LaunchSpecInput = Omit<LaunchSpec, Defaulted> & Partial<Pick<LaunchSpec, Defaulted>>;

/** Throws when it is none. */
export function launchSpec(value: unknown): LaunchSpec {
  return LaunchSpec(value, "");
}

/** Names the descriptor on which a runner says `{ready}` or `{ready: false, message}`, then closes it. */
export const READY_FD_VARIABLE = "AMUX_READY_FD";
