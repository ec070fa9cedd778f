/** The session's metadata: the answer of `GET /meta`, and `meta.json`, which remains after the runner. */
import { overwriteText, writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { codeOf } from "../lib/fs/directory.ts";
import type { SessionMeta } from "../protocol/runner-api.ts";
import { isFull } from "./disk-reserve.ts";
import type { Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";

/** Titles and times change often, and the file matters only after a crash. */
const WRITE_EVERY_MS = 1000;

/** The runner's identity. */
export interface RunnerIdentity {
  incarnation: string;
  socket: string;
  version: string;
  binaryHash: string;
}

export function sessionMeta(session: Session, runner: RunnerIdentity, isRecorded: boolean): SessionMeta {
  const { spec, state, main } = session;
  const { exit } = state;
  return {
    id: spec.id,
    created_at: spec.created_at,
    command: [...spec.command],
    cwd: spec.cwd,
    kind: spec.kind,
    ...defined({ agent: state.agent, agent_process: state.agentProcess }),
    ...defined({ workspace_root: spec.workspace_root, remotes: spec.remotes }),
    alive: session.alive,
    pid: main?.pty.pid ?? 0,
    exit_code: exit?.exitCode ?? null,
    ...defined({ exit_signal: exit?.signal, killed: state.killed }),
    ...(isRecorded ? { recorded: true as const } : {}),
    started_at: state.startedAt,
    ...defined({ exited_at: state.exitedAt }),
    title: state.title,
    ...state.titles,
    status: state.status,
    unread: state.unread,
    unread_token: state.unreadToken,
    ...defined({ slug: state.address, resume_key: state.resumeKey }),
    ...defined(state.queue),
    socket_path: runner.socket,
    terminal_cols: main?.cols ?? spec.cols,
    terminal_rows: main?.rows ?? spec.rows,
    binary_hash: runner.binaryHash,
    runner_version: runner.version,
    runner_pid: process.pid,
    incarnation: runner.incarnation,
    ...defined({ last_activity_at: isoTime(state.lastActivityAt), last_input_at: isoTime(main?.lastInputAt) }),
    ...defined({ last_typed_at: isoTime(main?.lastTypedAt) }),
    viewers: session.viewerCount,
    ...defined({ state: state.verdict }),
    reports: state.board.all(),
    ptys: [...session.terminals.values()].map(ptyMeta),
  };
}

function ptyMeta(terminal: Terminal): SessionMeta["ptys"][number] {
  const { id, cwd, cols, rows } = terminal;
  const exit_code = terminal.exit?.exitCode ?? null;
  return {
    id,
    pid: terminal.pty.pid,
    cwd,
    command: [...terminal.command],
    cols,
    rows,
    exit_code,
    seq: terminal.ring.end,
  };
}

function isoTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** Drops undefined fields: on the wire they are absent, not null. */
function defined<T extends object>(fields: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: NonNullable<T[Key]>;
  };
}

/** Keeps `meta.json` at most a second behind, and exact at the end. */
export class MetaFile {
  private readonly path: string;
  private readonly current: () => SessionMeta;
  private readonly onFailure: (error: unknown) => void;
  private timer: NodeJS.Timeout | undefined;
  private writtenAt = Number.NEGATIVE_INFINITY;

  constructor(path: string, current: () => SessionMeta, onFailure: (error: unknown) => void) {
    this.path = path;
    this.current = current;
    this.onFailure = onFailure;
  }

  /** Writes the first change at once, close successors together. */
  touch(): void {
    const due = Math.max(0, Math.ceil(this.writtenAt + WRITE_EVERY_MS - performance.now()));
    this.timer ??= setTimeout(() => this.write(), due);
  }

  /** Returns the error, if any. */
  write(): unknown {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writtenAt = performance.now();
    try {
      writeFileAtomic(this.path, this.text());
      return undefined;
    } catch (error) {
      // The directory is gone: the session was dismissed while running.
      if (codeOf(error) === "ENOENT") return undefined;
      this.onFailure(error);
      return error;
    }
  }

  /** Writes the final state, without which the session would count as lost: on a full disk, over the previous text. */
  close(): void {
    const error = this.write();
    if (!isFull(error)) return;
    try {
      if (!overwriteText(this.path, this.text())) this.onFailure(error);
    } catch (cause) {
      this.onFailure(cause);
    }
  }

  private text(): string {
    return `${JSON.stringify(this.current(), undefined, 2)}\n`;
  }
}
