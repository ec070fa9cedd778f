/**
 * One session in the store: the inputs from which `MuxSession` is derived. Every field has one owner (`FIELD_OWNERS`): the creator
 * (Register or Scanner), the runner (Register, Subscription, Discovery) or the files (FileMonitor while it runs, else Scanner).
 */
import type { InnerProcess } from "../../protocol/runner-api.ts";
import type { Status } from "../../protocol/status.ts";

export interface SessionRecord {
  readonly id: string;
  created_at: string;
  kind: string;
  cwd: string;
  command: readonly string[];
  workspace_root?: string;
  remotes?: Readonly<Record<string, string>>;

  alive: boolean;
  pid?: number;
  exit_code?: number;
  killed?: true;
  recorded?: true;
  started_at?: string;
  exited_at?: string;
  status: Status | null;
  unread: boolean;
  /** Identifies the unread result. */
  unread_token?: number;
  queued?: number;
  queue_held?: number;
  /** The user's name for it. */
  name?: string;
  shell_title?: string;
  subtitle?: string;
  /** From PUT /slug. */
  wanted_slug?: string;
  /** Its slug before the daemon restarted. */
  kept_slug?: string;
  socket_path?: string;
  terminal_cols?: number;
  terminal_rows?: number;
  binary_hash?: string;
  incarnation?: string;
  runner_pid?: number;
  /** An agent that runs in a shell now, and its process, if known. */
  inner?: { agent: string; process?: InnerProcess };

  resume_key?: string;
  /** The conversation's agent, if it is not `kind`. */
  agent?: string;
  /** The agent's own resume command. */
  resume_command?: readonly string[];
  adapter_title?: string;
  archived?: true;
  in_vault?: true;
  conversation?: Conversation;
}

/** The file of a session's conversation, and how that is known. */
export interface Conversation {
  /** Absent until its file is seen. */
  path?: string;
  /** `told`: by the agent, or by its start command. `guessed`: everything else. */
  how: "told" | "guessed";
  /**
   * The evidence. `hook`: the agent itself, which also reports the next one. `launch`: started by us on it. `command`: its
   * command line. `directory`: place and time. `screen`: the terminal shows its text.
   */
  by: "hook" | "launch" | "command" | "directory" | "screen";
}

/** What writes conversations in this session: its program, or an agent inside it. */
export interface Program {
  agent: string;
  command: readonly string[];
  cwd: string | undefined;
  startedMs: number;
}

export function programOf({ kind, command, cwd, started_at, inner }: Readonly<SessionRecord>): Program {
  if (inner === undefined) return { agent: kind, command, cwd, startedMs: Date.parse(started_at ?? "") };
  const { agent, process } = inner;
  // Without its process, directory and start are unknown.
  return {
    agent,
    command: process?.command ?? [],
    cwd: process?.cwd,
    startedMs: Date.parse(process?.started_at ?? ""),
  };
}

type Owner = "creator" | "runner" | "files";

export const FIELD_OWNERS = {
  id: "creator",
  created_at: "creator",
  kind: "creator",
  cwd: "creator",
  command: "creator",
  workspace_root: "creator",
  remotes: "creator",
  alive: "runner",
  pid: "runner",
  exit_code: "runner",
  killed: "runner",
  recorded: "runner",
  started_at: "runner",
  exited_at: "runner",
  status: "runner",
  unread: "runner",
  unread_token: "runner",
  queued: "runner",
  queue_held: "runner",
  name: "runner",
  shell_title: "runner",
  subtitle: "runner",
  wanted_slug: "runner",
  kept_slug: "runner",
  socket_path: "runner",
  terminal_cols: "runner",
  terminal_rows: "runner",
  binary_hash: "runner",
  incarnation: "runner",
  runner_pid: "runner",
  inner: "runner",
  resume_key: "files",
  agent: "files",
  resume_command: "files",
  adapter_title: "files",
  archived: "files",
  in_vault: "files",
  conversation: "files",
} as const satisfies Record<keyof SessionRecord, Owner>;

type OwnedBy<Name extends Owner> = {
  [Field in keyof SessionRecord]-?: (typeof FIELD_OWNERS)[Field] extends Name ? Field : never;
}[keyof SessionRecord];

/** Undefined removes a field. */
type Change<Fields extends keyof SessionRecord> = { [Field in Fields]?: SessionRecord[Field] | undefined };

/** Fields each writer may set, checked by the compiler; the store checks again. */
export type RunnerChange = Change<Exclude<OwnedBy<"runner"> | OwnedBy<"creator">, "id">>;
export type FilesChange = Change<OwnedBy<"files">>;

/** A session that never had a runner. */
export type FoundSession = Pick<SessionRecord, "id" | "created_at" | "kind" | "cwd" | "command"> &
  Change<"workspace_root" | "remotes"> &
  FilesChange;

export type Writer = "runner" | "files";

/** Whether this writer may set the field of a new or existing session. */
export function mayWrite(writer: Writer, field: keyof SessionRecord, isNew: boolean): boolean {
  const owner = FIELD_OWNERS[field];
  return owner === writer || (owner === "creator" && (isNew || writer === "runner"));
}
