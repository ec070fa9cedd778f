/**
 * A runner's HTTP answers on its socket: `GET /meta` and the events of `GET /events`. `meta.json` on disk has the same shape and
 * outlives the runner.
 */
import * as z from "zod/mini";
import { SOURCES, STATES } from "../core/state.ts";
import { Offer, Status, StatusReport } from "./status.ts";

export const PtyMeta = z.object({
  id: z.string(),
  pid: z.int(),
  cwd: z.string(),
  command: z.array(z.string()),
  cols: z.int(),
  rows: z.int(),
  exit_code: z.nullable(z.int()),
  /** Bytes written so far. */
  seq: z.int(),
});

/** The state derived from all reports, and the report behind it. */
export const SessionVerdict = z.object({
  state: z.enum(STATES),
  label: z.optional(z.string()),
  /** The question, the error, or the current task. */
  message: z.optional(z.string()),
  since: z.string(),
  source: z.enum(SOURCES),
  /** When it was last reported; `since` is when it began. */
  at: z.optional(z.string()),
  /** The observed event, in the sender's words. */
  event: z.optional(z.string()),
  /** Name of the question. */
  ask: z.optional(z.string()),
  /** The sub-agent that asks. */
  scope: z.optional(z.string()),
  /** A hook waits for the answer. */
  held: z.optional(z.boolean()),
  /** Id of the question and its options: an answer with this id is refused once something else is asked. */
  asked: z.optional(z.string()),
  ...Offer,
});
export type SessionVerdict = z.infer<typeof SessionVerdict>;

/** `POST /answer`: allow or deny, an option's number or label, or text for the agent. */
export const Answer = z.object({
  answer: z.string().check(z.minLength(1), z.maxLength(100_000)),
  /** Id of the question it answers. */
  asked: z.optional(z.string().check(z.maxLength(100))),
});
export type Answer = z.infer<typeof Answer>;

/** `POST /message`: text for the program, and Enter; refused while it asks something, unless forced. */
export const Message = z.object({
  text: z.string().check(z.maxLength(1_000_000)),
  force: z.optional(z.boolean()),
});
export type Message = z.infer<typeof Message>;

/** A process that was started inside a session. */
export const InnerProcess = z.object({
  pid: z.int(),
  cwd: z.optional(z.string()),
  command: z.array(z.string()),
  started_at: z.optional(z.string()),
});
export type InnerProcess = z.infer<typeof InnerProcess>;

export const SessionMeta = z.object({
  id: z.string(),
  created_at: z.string(),
  command: z.array(z.string()),
  cwd: z.string(),
  kind: z.string(),
  /** The agent that runs in it now, if it was started from a shell. */
  agent: z.optional(z.string()),
  /** The agent's process, if known. */
  agent_process: z.optional(InnerProcess),
  workspace_root: z.optional(z.string()),
  remotes: z.optional(z.record(z.string(), z.string())),
  alive: z.boolean(),
  /** Pid of the program; the runner's own is `runner_pid`. */
  pid: z.int(),
  exit_code: z.nullable(z.int()),
  exit_signal: z.optional(z.string()),
  /** It was told to end, by a user or with its runner. Absent means no. */
  killed: z.optional(z.literal(true)),
  /** Its output is kept with its times. */
  recorded: z.optional(z.literal(true)),
  started_at: z.string(),
  exited_at: z.optional(z.string()),
  title: z.string(),
  shell_title: z.optional(z.string()),
  adapter_title: z.optional(z.string()),
  subtitle: z.optional(z.string()),
  /** The user's name for it; it overrides every title. */
  name: z.optional(z.string()),
  status: z.nullable(Status),
  unread: z.boolean(),
  /** Identifies the unread result, so that a late "read" cannot clear a newer one. */
  unread_token: z.int(),
  slug: z.optional(z.string()),
  resume_key: z.optional(z.string()),
  socket_path: z.string(),
  terminal_cols: z.int(),
  terminal_rows: z.int(),
  binary_hash: z.optional(z.string()),
  runner_version: z.string(),
  runner_pid: z.int(),
  incarnation: z.string(),
  /** Time of the last output and of the last input: a status counts only if it is newer than the input. */
  last_activity_at: z.optional(z.string()),
  last_input_at: z.optional(z.string()),
  /** When somebody last typed in an attached terminal. */
  last_typed_at: z.optional(z.string()),
  /** Prompts that wait in its queue, and those held for the user. */
  queued: z.optional(z.int()),
  queue_held: z.optional(z.int()),
  /** Number of viewers of its terminals. */
  viewers: z.optional(z.int()),
  /** Its state. Absent if nothing was reported, and from older runners. */
  state: z.optional(SessionVerdict),
  /** Open questions and the latest report of each source, for `explain`. */
  reports: z.array(StatusReport),
  ptys: z.array(PtyMeta),
});
export type SessionMeta = z.infer<typeof SessionMeta>;

/** Fields a `meta` event may carry; absent means unchanged. */
export type MetaChange = Partial<
  Pick<
    SessionMeta,
    | "title"
    | "shell_title"
    | "adapter_title"
    | "subtitle"
    | "name"
    | "unread"
    | "unread_token"
    | "slug"
    | "resume_key"
    | "queued"
    | "queue_held"
  >
> & {
  /** Empty when the agent has left the shell. */
  agent?: string;
  agent_process?: InnerProcess | null;
};

/** `PUT /conversation`: what the session writes, from the process that watches the files. */
export interface WrittenConversation {
  /** Empty when it has none yet. */
  title: string;
  /** Its file, if no hook has named it. */
  transcript?: string;
  /** Its id, for an agent started from a shell: the runner did not know it at the start. */
  session?: string;
}

export interface Notification {
  title: string;
  body: string;
}

export interface RunnerEvents {
  status: Status | null;
  /** The state changed, through a report or a timeout; null if nothing is known. */
  state: SessionVerdict | null;
  /** A report as received, with its source and message. */
  report: StatusReport;
  meta: MetaChange;
  /** `exited_at` is absent from runners of older versions. */
  exit: { exit_code: number; exit_signal?: string; killed?: true; exited_at?: string };
  terminal_resize: { cols: number; rows: number };
  activity: null;
  notification: Notification;
  /** A hook's raw payload, for subscribers of the session. */
  hook: unknown;
}

export type RunnerEvent = {
  [Name in keyof RunnerEvents]: { name: Name; data: RunnerEvents[Name] };
}[keyof RunnerEvents];

export interface ApiError {
  error: { code: string; message: string };
}
