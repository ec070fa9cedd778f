/**
 * A session as the daemon shows it: one row of a sidebar, alive or dead. Field names are the published ones. What only
 * serves to derive a field (`shell_title`, `adapter_title`, `binary_hash`) never crosses this boundary; its result does.
 */
import * as z from "zod/mini";
import { Status } from "./status.ts";

export const MuxSession = z.object({
  /** `sess-` and eight characters; a peer's sessions have `@<peer>` behind it. */
  id: z.string(),
  created_at: z.string(),
  /** What runs, or what resuming would run. */
  command: z.array(z.string()),
  cwd: z.string(),
  /** An agent's name, or `shell`. */
  kind: z.string(),
  /** Root of the repository, the same for all its worktrees. */
  workspace_root: z.optional(z.string()),
  /** Addresses by name, without credentials. */
  remotes: z.optional(z.record(z.string(), z.string())),
  alive: z.boolean(),
  pid: z.optional(z.int()),
  exit_code: z.optional(z.int()),
  started_at: z.optional(z.string()),
  exited_at: z.optional(z.string()),
  title: z.string(),
  /** What its user called it; it is the title then. Absent: nobody gave it a name. */
  name: z.optional(z.string()),
  subtitle: z.optional(z.string()),
  status: z.nullable(Status),
  unread: z.boolean(),
  /** Dead, with a command to bring it back. Absent means no. */
  resumable: z.optional(z.literal(true)),
  /** The agent's own id of the conversation. */
  resume_key: z.optional(z.string()),
  /** The agent that somebody started in this shell, while it runs; the conversation is its own. */
  agent: z.optional(z.string()),
  /** Present exactly while it can be attached to. */
  socket_path: z.optional(z.string()),
  terminal_cols: z.optional(z.int()),
  terminal_rows: z.optional(z.int()),
  /** Unique within a kind. */
  slug: z.optional(z.string()),
  /** Its runner is of another build than the one installed now. */
  stale: z.boolean(),
  /** The machine it is on, by the name it has here. Absent means this one. */
  peer: z.optional(z.string()),
  /** Its machine cannot be reached now: this is the last that was heard of it. Absent means no. */
  unreachable: z.optional(z.literal(true)),
});
export type MuxSession = z.infer<typeof MuxSession>;
