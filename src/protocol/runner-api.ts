/**
 * What a runner answers over HTTP on its socket: `GET /meta`, and the events of `GET /events`. Wire names are
 * snake_case as published. The same shape is `meta.json` on disk, which outlives the runner.
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

/** What all reports amount to at a moment, and the one it rests on. */
export const SessionVerdict = z.object({
  state: z.enum(STATES),
  label: z.optional(z.string()),
  /** What is asked, what went wrong, what it works on. */
  message: z.optional(z.string()),
  since: z.string(),
  source: z.enum(SOURCES),
  /** When it was last said; `since` when it began to hold. */
  at: z.optional(z.string()),
  /** What was seen, in the sender's words. */
  event: z.optional(z.string()),
  /** Names what is asked. */
  ask: z.optional(z.string()),
  /** The sub-agent that asks. */
  scope: z.optional(z.string()),
  /** A hook waits for the answer. */
  held: z.optional(z.boolean()),
  /** Names the question and what it offers: an answer that carries it is refused when something else is asked by then. */
  asked: z.optional(z.string()),
  ...Offer,
});
export type SessionVerdict = z.infer<typeof SessionVerdict>;

/** `POST /answer`: allow or deny, an option by its number or words, or what the agent is told. */
export const Answer = z.object({
  answer: z.string().check(z.minLength(1), z.maxLength(100_000)),
  /** The question it is for, by the name that was told with it. */
  asked: z.optional(z.string().check(z.maxLength(100))),
});
export type Answer = z.infer<typeof Answer>;

/** `POST /message`: words for the program, and Enter; refused while it asks something, unless forced. */
export const Message = z.object({
  text: z.string().check(z.maxLength(1_000_000)),
  force: z.optional(z.boolean()),
});
export type Message = z.infer<typeof Message>;

/** A process that somebody started inside a session. */
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
  /** The agent that runs in it now, where that is not what was started: somebody typed its name into a shell. */
  agent: z.optional(z.string()),
  /** Its process, where that could be seen. */
  agent_process: z.optional(InnerProcess),
  workspace_root: z.optional(z.string()),
  remotes: z.optional(z.record(z.string(), z.string())),
  alive: z.boolean(),
  /** The program's; the runner's own is `runner_pid`. */
  pid: z.int(),
  exit_code: z.nullable(z.int()),
  exit_signal: z.optional(z.string()),
  started_at: z.string(),
  exited_at: z.optional(z.string()),
  title: z.string(),
  shell_title: z.optional(z.string()),
  adapter_title: z.optional(z.string()),
  subtitle: z.optional(z.string()),
  /** A name the user gave; it wins over every title. */
  name: z.optional(z.string()),
  status: z.nullable(Status),
  unread: z.boolean(),
  /** Names the result that is unread, so that a late "read" cannot clear a newer one. */
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
  /** Of the last output, and of the last input: what a status says counts only when it is newer than the latter. */
  last_activity_at: z.optional(z.string()),
  last_input_at: z.optional(z.string()),
  /** Who looks at its terminals now. */
  viewers: z.optional(z.int()),
  /** What it is doing. Absent when nobody has said anything, and from runners that leave the judgement to others. */
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
    "title" | "shell_title" | "adapter_title" | "subtitle" | "name" | "unread" | "unread_token" | "slug" | "resume_key"
  >
> & {
  /** Empty when the agent that was in a shell has left it. */
  agent?: string;
  agent_process?: InnerProcess | null;
};

/** `PUT /conversation`: what the session writes, by who watches the files. */
export interface WrittenConversation {
  /** Empty when it has none yet. */
  title: string;
  /** Its file, where no hook has named it. */
  transcript?: string;
  /** Its id, for an agent that somebody started in a shell: the runner was not told it at the start. */
  session?: string;
}

export interface Notification {
  title: string;
  body: string;
}

export interface RunnerEvents {
  status: Status | null;
  /** The verdict has changed, because somebody said something or because nobody did; null when nothing is known. */
  state: SessionVerdict | null;
  /** A report as it came in, with its source and message. */
  report: StatusReport;
  meta: MetaChange;
  exit: { exit_code: number; exit_signal?: string };
  terminal_resize: { cols: number; rows: number };
  activity: null;
  notification: Notification;
  /** What a hook posted, unread, for whoever follows the session. */
  hook: unknown;
}

export type RunnerEvent = {
  [Name in keyof RunnerEvents]: { name: Name; data: RunnerEvents[Name] };
}[keyof RunnerEvents];

export interface ApiError {
  error: { code: string; message: string };
}
