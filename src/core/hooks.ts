/** Hooks in words all agents share: what a call of one says, what is installed where, what a launch needs. */
import type { OfferedOption } from "./offer.ts";
import type { State } from "./state.ts";

/** What one call of a hook says. */
export interface HookReading {
  /** The agent's name for it. */
  event: string;
  /** When it happened, where the agent tells; hooks overtake each other. Milliseconds since the epoch. */
  at?: number;
  /** The agent's own session id. */
  session?: string;
  /** The agent's process, where it tells. */
  pid?: number;
  cwd?: string;
  transcript?: string;
  /** Absent when it changes nothing. */
  report?: HookReport;
  /** A tool that has just been used. */
  tool?: string;
  team?: TeamNews;
  /** The agent takes an answer from the hook, while its own dialog shows beside it, or instead of showing one. */
  waits?: "beside" | "instead";
}

/** What a user has decided about what a hook asked. */
export interface HookDecision {
  behavior: "allow" | "deny";
  /** Why not, or what to do instead; for the agent to read. */
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
  /** What the question offers to pick from, and whether several can be. */
  options?: OfferedOption[];
  several?: boolean;
}

/** News of agents that work together; they are shown beside the session and do not change its own state. */
export interface TeamNews {
  name?: string;
  members: { name: string; state: State; session?: string }[];
  /** Everyone who has not stopped is set to this state. */
  everyone?: State;
}

/** What an agent's hook module gives to the hook program, which must stay small. */
export interface HookEvents {
  readonly name: string;
  /** Its status is the session's own in a status file; other agents stand beside it under their names. */
  readonly isMain?: boolean;
  /** Undefined when the payload is not understood. Never throws. */
  read(
    payload: Readonly<Record<string, unknown>>,
    event: string | undefined,
    vars: Readonly<Record<string, string | undefined>>,
  ): HookReading | undefined;
  /** What the hook program prints to hand over a decision, where the agent waits for one. */
  answer?(decision: HookDecision): string;
}

/** How the hook program is started: Node itself and the file it runs, both absolute. */
export interface HookProgram {
  node: string;
  script: string;
}

/** Where hooks are written: entries in the agent's settings, JSON or YAML, or a file that is all ours. */
export type HookTarget =
  | {
      kind: "settings";
      path: string;
      /** By event: entries to add to the list under `hooks.<event>`. */
      entries: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
      /** What the file must say besides; added where it is missing. */
      also?: Readonly<Record<string, unknown>>;
    }
  | {
      kind: "yaml";
      path: string;
      /** By event: entries of plain fields to add to the list under `hooks.<event>`. */
      entries: Readonly<Record<string, readonly Readonly<Record<string, string | number>>[]>>;
    }
  | { kind: "file"; path: string; content: string };

/** Hooks for one start of an agent, leaving its settings as they are. */
export interface HookedLaunch {
  argv: string[];
  env: Record<string, string>;
  /** To be written before the start; absolute paths. */
  files: { path: string; content: string }[];
}
