/**
 * What the store holds of one session: the inputs from which `MuxSession` is derived. Every field has one owner, and
 * nobody else writes it:
 *
 * | fields                                                              | owner   | written by                           |
 * | ------------------------------------------------------------------- | ------- | ------------------------------------ |
 * | id, created_at, kind, cwd, command, workspace_root, remotes          | creator | Register or Scanner, whoever is first; a runner that takes a session over says them anew |
 * | alive, pid, exit_code, started_at, exited_at, status, unread,        | runner  | Register when it comes, Subscription while it talks, Discovery when it is gone |
 * | unread_token, name, shell_title, subtitle, wanted_slug, kept_slug,   |         |                                      |
 * | socket_path, terminal_cols, terminal_rows, binary_hash, incarnation, |         |                                      |
 * | runner_pid, inner                                                    |         |                                      |
 * | resume_key, agent, resume_command, adapter_title, conversation       | files   | FileMonitor while it lives, Scanner otherwise |
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
  started_at?: string;
  exited_at?: string;
  status: Status | null;
  unread: boolean;
  /** Names the result that is unread. */
  unread_token?: number;
  /** A name the user gave. */
  name?: string;
  shell_title?: string;
  subtitle?: string;
  /** What PUT /slug asked for. */
  wanted_slug?: string;
  /** What it was called before the daemon was restarted. */
  kept_slug?: string;
  socket_path?: string;
  terminal_cols?: number;
  terminal_rows?: number;
  binary_hash?: string;
  incarnation?: string;
  runner_pid?: number;
  /** The agent that somebody started in a shell, while it is there; its process, where that is known. */
  inner?: { agent: string; process?: InnerProcess };

  resume_key?: string;
  /** Whose conversation it is, where that is not `kind`'s. */
  agent?: string;
  /** The agent's own command for going on with the conversation. */
  resume_command?: readonly string[];
  adapter_title?: string;
  conversation?: Conversation;
}

/** Where the conversation of a session lies, and how that is known. */
export interface Conversation {
  /** Absent while its file has not been seen. */
  path?: string;
  /** `told`: by the agent, or by the command it was started with. `guessed`: everything else. */
  how: "told" | "guessed";
  /**
   * What that rests on. `hook`: the agent itself, and it will tell the next one, too. `launch`: we started it on this
   * conversation. `command`: its command line names it. `directory`: where and when it was written. `screen`: it says
   * what the terminal shows.
   */
  by: "hook" | "launch" | "command" | "directory" | "screen";
}

/** What writes conversations in this session: the program it was started with, or an agent inside it. */
export interface Program {
  agent: string;
  command: readonly string[];
  cwd: string | undefined;
  startedMs: number;
}

export function programOf({ kind, command, cwd, started_at, inner }: Readonly<SessionRecord>): Program {
  if (inner === undefined) return { agent: kind, command, cwd, startedMs: Date.parse(started_at ?? "") };
  const { agent, process } = inner;
  // Without its process nobody knows where it works and since when.
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
  started_at: "runner",
  exited_at: "runner",
  status: "runner",
  unread: "runner",
  unread_token: "runner",
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
  conversation: "files",
} as const satisfies Record<keyof SessionRecord, Owner>;

type OwnedBy<Name extends Owner> = {
  [Field in keyof SessionRecord]-?: (typeof FIELD_OWNERS)[Field] extends Name ? Field : never;
}[keyof SessionRecord];

/** A field that is undefined is taken away. */
type Change<Fields extends keyof SessionRecord> = { [Field in Fields]?: SessionRecord[Field] | undefined };

/** What each may write, checked by the compiler; the store checks again. */
export type RunnerChange = Change<Exclude<OwnedBy<"runner"> | OwnedBy<"creator">, "id">>;
export type FilesChange = Change<OwnedBy<"files">>;

/** A session that comes into being without ever having had a runner. */
export type FoundSession = Pick<SessionRecord, "id" | "created_at" | "kind" | "cwd" | "command"> &
  Change<"workspace_root" | "remotes"> &
  FilesChange;

export type Writer = "runner" | "files";

/** Whether this writer may set the field of a session that is new, or not. */
export function mayWrite(writer: Writer, field: keyof SessionRecord, isNew: boolean): boolean {
  const owner = FIELD_OWNERS[field];
  return owner === writer || (owner === "creator" && (isNew || writer === "runner"));
}
