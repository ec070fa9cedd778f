/**
 * How an agent reports its status. `hook-events.ts` in its folder interprets the hooks and is all that the hook program loads;
 * this is the rest: installing hooks, hooks for one launch, terminal titles.
 */
import type { HookedLaunch, HookProgram, HookTarget } from "../core/hooks.ts";
import type { State } from "../core/state.ts";
import type { Json } from "../lib/json/fields.ts";
import type { AgentEnv } from "./agent-env.ts";

/** What a running agent shows of its status, without hooks. */
export interface StatusSigns {
  /** No hook reports its questions, so its screen is watched for them all the time. */
  readonly asksOnScreen?: true;
  /** Its dialogs ignore a paste, so an own answer is typed. */
  readonly dialogsIgnorePastes?: true;
  /** The state that its screen shows while nothing is asked; undefined if it shows none. For agents whose screen is watched. */
  screenState?(screen: readonly string[]): "working" | "idle" | undefined;
  /** It shows that it still starts: what is typed then is lost. */
  isStarting?(screen: readonly string[]): boolean;
  /** One of these processes works, by its own files. Asked when the screen, which may hide that, shows none. */
  isAtWork?(env: AgentEnv, pids: readonly number[]): boolean;
  /** The program's sign-in request on its screen; undefined if there is none. */
  signIn?(screen: readonly string[]): string | undefined;
  /** The state that a terminal title shows. */
  titleState?(title: string): TitleState | undefined;
  /** The state that the program records about its running processes. */
  processState?(env: AgentEnv, pid: number): ProcessState | undefined;
  /** The state that the last records of a session's file show; oldest first. */
  transcriptState?(records: readonly Json[]): ProcessState | undefined;
  /** Its hooks report a failed request like a normal end; `transcriptState` has the failure. */
  readonly endsAlike?: true;
}

export interface StatusHooks extends StatusSigns {
  /** `version` of the installed program, if known: older ones refuse settings with unknown events. */
  target(env: AgentEnv, program: HookProgram, version: string | undefined): HookTarget;
  /** Undefined if the command line does not start this agent itself. `directory` is private to the session. */
  launch?(argv: readonly string[], context: HookLaunchContext): HookedLaunch | undefined;
  /** What the user must do once before the hooks run. */
  readonly afterInstall?: string;
  /** What keeps installed hooks from being called, and what to do about it. */
  hiddenBy?(env: AgentEnv): string | undefined;
  /** What the hooks do not report. */
  readonly silentAbout?: string;
  /** It runs no hooks below a world-writable directory. */
  readonly skipsShared?: boolean;
}

export interface HookLaunchContext {
  env: AgentEnv;
  program: HookProgram;
  directory: string;
  version: string | undefined;
}

export interface TitleState {
  state: State;
  /** States that cannot be distinguished. */
  could_be?: readonly State[];
}

export interface ProcessState extends TitleState {
  message?: string;
  /** Since when, in milliseconds since the epoch. */
  at: number;
}
