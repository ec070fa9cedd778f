/** Converts runner events to store changes. Newer and older runners may send more or less. */
import { asNumber, asObject, asString, asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { InnerProcess, type RunnerEvent, type SessionMeta } from "../../protocol/runner-api.ts";
import { wasKilled } from "../../protocol/session-end.ts";
import { Status } from "../../protocol/status.ts";
import type { RunnerChange } from "../store/session-record.ts";
import type { StoredMeta } from "./runners.ts";
import { withoutCredentials } from "../projects/remotes.ts";

/** A session whose process vanished. */
const LOST: Status = { label: "lost", working: false };

export function isLost(record: { alive: boolean; status: Status | null } | undefined): boolean {
  return record?.alive === false && record.status?.label === LOST.label;
}

/** A full replacement: values from an earlier process go. */
export function initialStateOf(meta: SessionMeta): RunnerChange {
  return {
    created_at: meta.created_at,
    kind: meta.kind,
    cwd: meta.cwd,
    command: meta.command,
    workspace_root: meta.workspace_root,
    remotes: meta.remotes && withoutCredentials(meta.remotes),
    alive: meta.alive,
    pid: meta.pid,
    exit_code: meta.exit_code ?? undefined,
    killed: wasKilled(meta) ? true : undefined,
    recorded: meta.recorded,
    started_at: meta.started_at,
    exited_at: meta.exited_at,
    status: meta.status,
    unread: meta.unread,
    unread_token: meta.unread_token,
    queued: meta.queued,
    queue_held: meta.queue_held,
    name: meta.name,
    shell_title: meta.shell_title,
    subtitle: meta.subtitle,
    wanted_slug: meta.slug,
    socket_path: meta.socket_path,
    terminal_cols: meta.terminal_cols,
    terminal_rows: meta.terminal_rows,
    binary_hash: meta.binary_hash,
    incarnation: meta.incarnation,
    runner_pid: meta.runner_pid,
    inner: meta.alive ? innerOf(meta.agent, meta.agent_process) : undefined,
  };
}

/** The stored state of a session whose runner is gone. */
export function storedStateOf({ meta, writtenAt }: StoredMeta): RunnerChange {
  const change = { ...initialStateOf(meta), socket_path: undefined };
  if (!meta.alive) return change;
  return { ...change, ...lostAt(writtenAt) };
}

export function lostAt(time: Date): RunnerChange {
  return { alive: false, exited_at: time.toISOString(), status: LOST, inner: undefined };
}

/** Undefined for events that change nothing in the store. */
export function changeOf({ name, data }: RunnerEvent): RunnerChange | undefined {
  switch (name) {
    case "status":
      return { status: data === null ? null : (Status.safeParse(data).data ?? null) };
    case "meta":
      return metaChange(asObject(data) ?? {});
    case "exit":
      return {
        alive: false,
        exit_code: asNumber(data.exit_code),
        killed: wasKilled(data) ? true : undefined,
        exited_at: momentOf(data.exited_at),
        inner: undefined,
      };
    case "terminal_resize":
      return { terminal_cols: asNumber(data.cols), terminal_rows: asNumber(data.rows) };
    default:
      return undefined;
  }
}

/** As the runner stores it, so that a restart changes nothing; otherwise now. */
function momentOf(told: unknown): string {
  const ms = Date.parse(asText(told) ?? "");
  return new Date(Number.isNaN(ms) ? Date.now() : ms).toISOString();
}

/** Absent fields are unchanged, empty ones removed. */
function metaChange(data: Record<string, unknown>): RunnerChange {
  const change: RunnerChange = {};
  for (const field of ["name", "shell_title", "subtitle"] as const) {
    if (asString(data[field]) !== undefined) change[field] = asText(data[field]);
  }
  if (asText(data["slug"]) !== undefined) change.wanted_slug = asText(data["slug"]);
  if (typeof data["unread"] === "boolean") change.unread = data["unread"];
  for (const field of ["queued", "queue_held"] as const) {
    if (asNumber(data[field]) !== undefined) change[field] = asNumber(data[field]);
  }
  if (asNumber(data["unread_token"]) !== undefined) change.unread_token = asNumber(data["unread_token"]);
  if (asString(data["agent"]) !== undefined) {
    change.inner = innerOf(asText(data["agent"]), InnerProcess.safeParse(data["agent_process"]).data);
  }
  return change;
}

function innerOf(agent: string | undefined, process: InnerProcess | undefined): RunnerChange["inner"] {
  return agent === undefined ? undefined : { agent, ...optional("process", process) };
}
