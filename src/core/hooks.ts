/** Hooks in terms all agents share: what a call reports, what is installed where, what a launch needs. */
import type { StatusLine } from "./limits.ts";
import type { OfferedOption } from "./offer.ts";
import type { State } from "./state.ts";

/** What one hook call reports. */
export interface HookReading {
  /** The agent's name for it. */
  event: string;
  /** When it happened, in milliseconds since the epoch, if the agent says; hooks can arrive out of order. */
  at?: number;
  /** The agent's own session id. */
  session?: string;
  /** The agent's process, if the agent names it. */
  pid?: number;
  cwd?: string;
  transcript?: string;
  /** Absent when the call changes no status. */
  report?: HookReport;
  /** A tool that has just been used. */
  tool?: string;
  team?: TeamUpdate;
  /** The agent accepts an answer from the hook, beside its own dialog or instead of showing one. */
  waits?: "beside" | "instead";
}

/** The user's decision on a hook's question. */
export interface HookDecision {
  behavior: "allow" | "deny";
  /** Reason for a denial, or what to do instead; the agent reads it. */
  message?: string;
}

/** The fields of a status report that a hook can know; see `StatusReport` for what they mean. */
export interface HookReport {
  state: State;
  label?: string;
  message?: string;
  scope?: string;
  ask?: string;
  begins?: boolean;
  weak?: boolean;
  /** The options of the question, and whether several can be chosen. */
  options?: OfferedOption[];
  several?: boolean;
}

/** Status of the other agents of a team; it is shown beside the session and does not change the session's state. */
export interface TeamUpdate {
  name?: string;
  members: { name: string; state: State; session?: string }[];
  /** Sets every team member that has not stopped to this state. */
  everyone?: State;
}

/** What an agent's hook module exports to the hook program, which must stay small. */
export interface HookEvents {
  readonly name: string;
  /** Its status is the session's own in a status file; other agents appear beside it by name. */
  readonly isMain?: boolean;
  /** Undefined when the payload is not understood. Never throws. */
  read(
    payload: Readonly<Record<string, unknown>>,
    event: string | undefined,
    vars: Readonly<Record<string, string | undefined>>,
  ): HookReading | undefined;
  /** What the hook program prints to pass a decision to an agent that waits for one. */
  answer?(decision: HookDecision): string;
  /** What the agent says to its status line. Never throws. */
  statusLine?(input: Readonly<Record<string, unknown>>): StatusLine;
  /** What the hook program prints to stop the agent at this event, with the reason; undefined if it cannot stop there. */
  refusal?(event: string, reason: string): string | undefined;
  /** The account that is signed in, by its name. Never throws. */
  account?(home: string, vars: Readonly<Record<string, string | undefined>>): string | undefined;
}

/** How the hook program is started: absolute paths of Node and of the script. */
export interface HookProgram {
  node: string;
  script: string;
}

/** Where hooks are installed: entries in the agent's settings (JSON, YAML or TOML), or a file of our own. */
export type HookTarget =
  | {
      kind: "settings";
      path: string;
      /** By event: entries to add to the list under `hooks.<event>`. */
      entries: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
      /** Other settings the file needs; added when missing. */
      also?: Readonly<Record<string, unknown>>;
      /** The command of a status line; the user's own is passed to it as `--with <command>`. */
      statusLine?: string;
    }
  | {
      kind: "yaml";
      path: string;
      /** By event: entries of plain fields to add to the list under `hooks.<event>`. */
      entries: Readonly<Record<string, readonly Readonly<Record<string, string | number>>[]>>;
    }
  | {
      kind: "toml";
      path: string;
      /** Tables of plain fields to add to the array `hooks`. */
      tables: readonly Readonly<Record<string, string | number>>[];
    }
  | { kind: "file"; path: string; content: string };

/** Whether a command is ours, of this or an earlier version. */
export type IsOurs = (command: string) => boolean;

/** Hooks of one agent, and where they are installed. */
export interface HookInstallation {
  agent: string;
  target: HookTarget;
  isOurs: IsOurs;
  /** amux's home. */
  home: string;
}

/** Hooks for one start of an agent; its settings stay unchanged. */
export interface HookedLaunch {
  argv: string[];
  env: Record<string, string>;
  /** Files to write before the start, with absolute paths. */
  files: { path: string; content: string }[];
}
