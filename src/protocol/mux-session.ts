/**
 * A session as the daemon shows it, running or ended. Fields that only serve to derive others (`shell_title`, `binary_hash`) are
 * left out.
 */
import * as z from "zod/mini";
import { Status } from "./status.ts";

export const MuxSession = z.object({
  /** `sess-` and eight characters; a peer's sessions have `@<peer>` appended. */
  id: z.string(),
  created_at: z.string(),
  /** The running command, or the one that resuming would run. */
  command: z.array(z.string()),
  /** Empty: the agent has noted none. */
  cwd: z.string(),
  /** An agent's name, or `shell`. */
  kind: z.string(),
  /** Root of the repository, shared by all its worktrees. */
  workspace_root: z.optional(z.string()),
  /** Addresses by name, without credentials. */
  remotes: z.optional(z.record(z.string(), z.string())),
  alive: z.boolean(),
  pid: z.optional(z.int()),
  exit_code: z.optional(z.int()),
  /** It was told to end: its exit code is no failure. Absent means no. */
  killed: z.optional(z.literal(true)),
  /** Its output was kept with its times: `GET /v1/sessions/{id}/cast`. */
  recorded: z.optional(z.literal(true)),
  started_at: z.optional(z.string()),
  exited_at: z.optional(z.string()),
  title: z.string(),
  /** The user's name for it, which is then its title. Absent if none was given. */
  name: z.optional(z.string()),
  subtitle: z.optional(z.string()),
  status: z.nullable(Status),
  unread: z.boolean(),
  /** Prompts that wait in its queue; absent means none. */
  queued: z.optional(z.int()),
  /** Prompts of its queue that need the user: not sent, or unknown whether they arrived. Absent means none. */
  queue_held: z.optional(z.int()),
  /** Ended, and can be resumed. Absent means no. */
  resumable: z.optional(z.literal(true)),
  /** Its agent has archived the conversation; lists leave it out unless asked. Absent means no. */
  archived: z.optional(z.literal(true)),
  /** The conversation's own file is gone; amux reads its copy in the vault. Absent means no. */
  in_vault: z.optional(z.literal(true)),
  /** The agent's own id of the conversation. */
  resume_key: z.optional(z.string()),
  /** The agent that runs in this shell now; the conversation belongs to it. */
  agent: z.optional(z.string()),
  /** Present only while it can be attached to. */
  socket_path: z.optional(z.string()),
  terminal_cols: z.optional(z.int()),
  terminal_rows: z.optional(z.int()),
  /** Unique within a kind. */
  slug: z.optional(z.string()),
  /** Its runner is not of the installed build. */
  stale: z.boolean(),
  /** The machine it is on, by its local name. Absent for this one. */
  peer: z.optional(z.string()),
  /** Its machine cannot be reached: this is the last known state. Absent means no. */
  unreachable: z.optional(z.literal(true)),
});
export type MuxSession = z.infer<typeof MuxSession>;
