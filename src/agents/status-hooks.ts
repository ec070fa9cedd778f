/**
 * How an agent tells what it is doing. `hook-events.ts` in its folder says what its hooks mean and is all of it that
 * the hook program loads; this is the rest: where hooks are installed, how one launch gets them, what its title says.
 */
import type { HookedLaunch, HookProgram, HookTarget } from "../core/hooks.ts";
import type { State } from "../core/state.ts";
import type { Json } from "../lib/json/fields.ts";
import type { AgentEnv } from "./agent-env.ts";

export interface StatusHooks {
  /** `version` of the installed program, when it is known: older ones refuse settings with events they do not know. */
  target(env: AgentEnv, program: HookProgram, version: string | undefined): HookTarget;
  /** Undefined when the command line does not start this agent itself. `directory` is private to the session. */
  launch?(argv: readonly string[], context: HookLaunchContext): HookedLaunch | undefined;
  /** What the user still has to do once before the hooks run. */
  readonly afterInstall?: string;
  /** What the hooks cannot tell. */
  readonly silentAbout?: string;
  /** It runs no hooks that lie below a directory to which everybody may write. */
  readonly skipsShared?: boolean;
  /** What the program says when somebody has to sign in at its terminal; undefined when its screen shows no such thing. */
  signIn?(screen: readonly string[]): string | undefined;
  /** What a terminal title of the program tells. */
  titleState?(title: string): TitleState | undefined;
  /** What the program notes about its own running processes. */
  processState?(env: AgentEnv, pid: number): ProcessState | undefined;
  /** What the last records of a session's file tell; the oldest first. */
  transcriptState?(records: readonly Json[]): ProcessState | undefined;
}

export interface HookLaunchContext {
  env: AgentEnv;
  program: HookProgram;
  directory: string;
  version: string | undefined;
}

export interface TitleState {
  state: State;
  /** States that look the same. */
  could_be?: readonly State[];
}

export interface ProcessState extends TitleState {
  message?: string;
  /** Since when, in milliseconds since the epoch. */
  at: number;
}
