/** What a runner is told about the session it is to hold, left in the session's directory by whoever starts it. */
import * as z from "zod/mini";
import { MAX_COLS, MAX_ROWS, MIN_COLS, MIN_ROWS } from "./frames.ts";

/**
 * Variables such as NODE_OPTIONS, which Node reads at its own start, are meant for the program: whoever starts a
 * runner hides them from it behind this prefix, and the runner gives them to the program.
 */
export const CHILD_VARIABLE_PREFIX = "AMUX_CHILD_";

/** Lines above the screen that a session keeps. */
export const DEFAULT_HISTORY_LINES = 10_000;

export const LaunchSpec = z.object({
  id: z.string(),
  command: z.array(z.string()).check(z.minLength(1)),
  /** What is really started, where that is more than the command a user knows: the same with hooks for this start. */
  argv: z.optional(z.array(z.string()).check(z.minLength(1))),
  cwd: z.string(),
  /** Set for the child on top of the environment the runner was started with. */
  env: z._default(z.record(z.string(), z.string()), {}),
  kind: z._default(z.string(), "shell"),
  created_at: z.string(),
  cols: z._default(z.int().check(z.gte(MIN_COLS), z.lte(MAX_COLS)), 80),
  rows: z._default(z.int().check(z.gte(MIN_ROWS), z.lte(MAX_ROWS)), 24),
  history_lines: z._default(z.int().check(z.gte(0), z.lte(200_000)), DEFAULT_HISTORY_LINES),
  name: z.optional(z.string()),
  slug: z.optional(z.string()),
  resume_key: z.optional(z.string()),
  adapter_title: z.optional(z.string()),
  workspace_root: z.optional(z.string()),
  remotes: z.optional(z.record(z.string(), z.string())),
});
export type LaunchSpec = z.infer<typeof LaunchSpec>;
export type LaunchSpecInput = z.input<typeof LaunchSpec>;

/** Names the descriptor on which a runner says `{ready}` or `{ready: false, message}`, then closes it. */
export const READY_FD_VARIABLE = "AMUX_READY_FD";
