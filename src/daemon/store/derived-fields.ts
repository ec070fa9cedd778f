/** Derives the visible fields from a record: title, command, status, resumable, stale. Computed on every write, not stored. */
import { withoutCredentials } from "../../lib/text/remote-address.ts";
import { oneLine, truncate, withoutControls } from "../../lib/text/text.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { sessionTitle } from "../../protocol/session-title.ts";
import type { Status } from "../../protocol/status.ts";
import type { SessionRecord } from "./session-record.ts";

/** A kind without an agent: resuming runs the same command again. */
export const SHELL_KIND = "shell";

const MAX_TITLE = 200;

/** An agent's command line is no title: its arguments may be a whole prompt. */
function titleOf(record: SessionRecord): string {
  const { kind, command } = record;
  return shown(sessionTitle({ ...record, command: kind === SHELL_KIND ? command : [] })) || kind;
}

/** Foreign text, safe for one line of a list. */
function shown(text: string): string {
  return truncate(oneLine(text.slice(0, 4 * MAX_TITLE)), MAX_TITLE);
}

/** An ended session that can be resumed shows no end status. */
function statusOf({ alive, status, resume_command }: SessionRecord): Status | null {
  if (status === null || (!alive && resume_command !== undefined)) return null;
  return { ...status, label: shown(status.label) };
}

export function commandOf({ alive, command, resume_command }: SessionRecord): readonly string[] {
  return alive ? command : (resume_command ?? command);
}

/** A runner that does not report its build is not called stale. */
function isStale({ alive, binary_hash }: SessionRecord, currentRunner: string | undefined): boolean {
  return alive && binary_hash !== undefined && currentRunner !== undefined && binary_hash !== currentRunner;
}

/** The fields in their published order; thousands at startup. */
export function derive(record: SessionRecord, slug: string, currentRunner: string | undefined): MuxSession {
  const command = commandOf(record).map(withoutControls);
  const { alive } = record;
  const session: Partial<MuxSession> = {
    id: record.id,
    created_at: record.created_at,
    command,
    cwd: withoutControls(record.cwd),
    kind: record.kind,
  };
  if (record.workspace_root !== undefined) session.workspace_root = withoutControls(record.workspace_root);
  if (record.remotes !== undefined) session.remotes = { ...record.remotes };
  session.alive = alive;
  if (alive && record.pid !== undefined) session.pid = record.pid;
  if (record.exit_code !== undefined) session.exit_code = record.exit_code;
  if (!alive && record.killed) session.killed = true;
  if (record.recorded) session.recorded = true;
  if (record.started_at !== undefined) session.started_at = record.started_at;
  if (record.exited_at !== undefined) session.exited_at = record.exited_at;
  session.title = titleOf(record);
  if (record.name) session.name = shown(record.name);
  if (record.subtitle) session.subtitle = shown(record.subtitle);
  session.status = statusOf(record);
  session.unread = record.unread;
  if (record.queued) session.queued = record.queued;
  if (record.queue_held) session.queue_held = record.queue_held;
  if (!alive && command.length > 0) session.resumable = true;
  if (alive && record.socket_path !== undefined) session.socket_path = record.socket_path;
  if (record.terminal_cols !== undefined) session.terminal_cols = record.terminal_cols;
  if (record.terminal_rows !== undefined) session.terminal_rows = record.terminal_rows;
  session.slug = slug;
  if (!alive && record.archived) session.archived = true;
  if (!alive && record.in_vault) session.in_vault = true;
  if (record.resume_key !== undefined) session.resume_key = record.resume_key;
  const agent = record.agent ?? record.inner?.agent;
  if (agent !== undefined) session.agent = agent;
  session.stale = isStale(record, currentRunner);
  return session as MuxSession;
}

/** The same for another machine's rows. */
export function sanitize(session: MuxSession): MuxSession {
  return {
    ...session,
    command: session.command.map(withoutControls),
    cwd: withoutControls(session.cwd),
    ...(session.workspace_root === undefined ? {} : { workspace_root: withoutControls(session.workspace_root) }),
    ...(session.remotes === undefined ? {} : { remotes: shownRemotes(session.remotes) }),
    ...(session.resume_key === undefined ? {} : { resume_key: withoutControls(session.resume_key) }),
    ...(session.socket_path === undefined ? {} : { socket_path: withoutControls(session.socket_path) }),
    title: shown(session.title),
    ...(session.name === undefined ? {} : { name: shown(session.name) }),
    ...(session.subtitle === undefined ? {} : { subtitle: shown(session.subtitle) }),
    status: session.status && { ...session.status, label: shown(session.status.label) },
  };
}

function shownRemotes(remotes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(remotes).map(([name, address]) => [
      withoutControls(name),
      withoutCredentials(withoutControls(address)),
    ]),
  );
}
