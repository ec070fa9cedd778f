import { conversationOf } from "../../client/conversation.ts";
import { removeOrphans } from "../../client/live-sockets.ts";
import { knownSessions, type KnownSession } from "../../client/session-list.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { EditConflict } from "../../core/edit-conflict.ts";
import { isUrgent } from "../../core/state.ts";
import { conflictsOf, readConflicts } from "../../status/conflict-file.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { oneLine } from "../../lib/text/text.ts";
import { endedInError, endOf, wasKilled } from "../../protocol/session-end.ts";
import { hasFailed, viewOfSession } from "../../status/runner-view.ts";
import type { AgentView, SessionView } from "../../status/session-view.ts";
import type { Command, Invocation } from "../command.ts";
import { age } from "../format/figures.ts";
import { queueCounts, shownCounts } from "../format/queue-counts.ts";
import { queueWords } from "../../status/queue/queue-words.ts";
import { tildePath } from "../format/tilde-path.ts";
import { table } from "../format/table.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import type { Output } from "../output.ts";
import { peerNames } from "../peers/peer-names.ts";
import type { RemoteRow, RemoteRows } from "../peers/remote-rows.ts";
import { wireStatus } from "../session-json.ts";
import { fileSessions } from "../tmux-sessions.ts";

const ls: Command = {
  name: "ls",
  description:
    "Lists every session started with amux run, and tmux sessions with a status file, newest first. Needs no daemon. With a daemon, sessions of linked machines (amux peers) are listed too, as id@peer.",
  options: [
    { name: "alive", description: "only running sessions" },
    { name: "failed", description: "only sessions in an error, or that ended in one" },
    { name: "here", description: "only sessions of this machine" },
    { name: "machine", value: "name", description: "only sessions of this linked machine" },
  ],
  examples: [
    ["amux ls", "all sessions, running and ended"],
    ["amux ls --json | jq -r '.[] | select(.alive).id'", "ids of the running sessions"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const machine = machineAsked(invocation);
    const elsewhere = invocation.flag("here") || peerNames().length === 0 ? NOTHING : await rowsElsewhere();
    const others = [...(await fileSessions()).map(listedTmux), ...elsewhere.rows.filter(hasRun).map(listedRemote)];
    const known = knownSessions(sessionDirectories(), (path, reason) =>
      output.note(`A session is not shown: ${path} ${reason}.`),
    );
    await removeLeftovers(known, output);
    const outdated = await outdatedIn(known);
    const running = new Map(known.flatMap(({ meta, alive }) => (alive ? [[meta.id, meta.title]] : [])));
    const conflicts =
      running.size < 2 ? [] : readConflicts(sessionDirectories().home, (id) => running.has(id), Date.now());
    const all = [
      ...known.map((session) => {
        const row = listed(session, outdated.has(session));
        const own = conflictsOf(conflicts, row.id);
        return own.length === 0 ? row : withConflicts(row, own, (id) => running.get(id) ?? id);
      }),
      ...others,
    ];
    // Newest first; local ones already are.
    if (others.length > 0) all.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
    const there = machine === undefined ? all : all.filter(({ peer }) => peer === machine);
    const alive = invocation.flag("alive") ? there.filter(({ alive }) => alive) : there;
    const sessions = invocation.flag("failed") ? alive.filter(({ hasFailed }) => hasFailed) : alive;
    if (elsewhere.missing !== undefined && !output.json) output.note(elsewhere.missing);
    if (invocation.flag("alive") && !output.json) for (const note of unreachable(there)) output.note(note);
    if (output.json) return output.writeJson(sessions.map(({ json }) => json));
    if (sessions.length === 0)
      return output.note(
        all.length === 0 ? "No sessions. Start one with amux run." : "No session matches. See amux ls.",
      );
    await output.write(rows(sessions, output));
    if (outdated.size > 0 && output.isTerminal) output.note(outdatedNote(outdated.size), "dim");
  },
};

export default ls;

/** Sockets and locks of killed runners, as the daemon and the TUI remove them. */
async function removeLeftovers(known: readonly KnownSession[], output: Output): Promise<void> {
  const running = new Set(known.flatMap(({ meta, alive }) => (alive ? [meta.id] : [])));
  try {
    await removeOrphans(sessionDirectories(), running);
  } catch (error) {
    output.note(`The socket of an ended session was not removed: ${errorText(error)}`);
  }
}

/** Loaded on demand: with no session running there is none. */
async function outdatedIn(known: readonly KnownSession[]): Promise<ReadonlySet<KnownSession>> {
  if (!known.some(({ alive }) => alive)) return new Set();
  const { isOutdated } = await import("../../client/runner-build.ts");
  return new Set(known.filter(isOutdated));
}

function outdatedNote(count: number): string {
  const runs = count === 1 ? "1 session runs" : `${count} sessions run`;
  return `${runs} on another build of amux; amux restart updates ${count === 1 ? "it" : "them"}.`;
}

const NOTHING: RemoteRows = { rows: [] };

function machineAsked(invocation: Invocation): string | undefined {
  const machine = invocation.text("machine");
  if (machine === undefined || peerNames().includes(machine)) return machine;
  throw new AgentMuxError("SESSION_NOT_FOUND", `There is no peer ${machine}. See amux peers list.`);
}

/** As its own machine lists it: conversations without a terminal belong to `amux sessions list --peers`. */
function hasRun({ alive, started_at }: RemoteRow): boolean {
  return alive || started_at !== undefined;
}

/** Machines that cannot be reached, whose sessions may still run. */
function unreachable(rows: readonly Listed[]): string[] {
  const machines = new Set(rows.flatMap(({ peer, state }) => (state === "unreachable" ? [peer] : [])));
  return [...machines].map((peer) => `Without ${peer}: it cannot be reached. amux ls shows what ran there.`);
}

/** Loaded on demand: most lists are local. */
async function rowsElsewhere(): Promise<RemoteRows> {
  return (await import("../peers/remote-rows.ts")).remoteRows();
}

/** A line of the list. */
interface Listed {
  id: string;
  /** Its other reference in commands: its name, or its slug. */
  name: string;
  /** Name of its machine, if remote. */
  peer: string;
  alive: boolean;
  state: string;
  /** Its question or current work, in its own words. */
  what: string;
  hasFailed: boolean;
  unread: boolean;
  createdAt: string;
  title: string;
  cwd: string;
  json: object;
}

function rows(sessions: readonly Listed[], output: Output): string[] {
  const columns = [
    { title: "SESSION", value: ({ id }: Listed) => id },
    ...(sessions.some(({ name }) => name !== "") ? [{ title: "NAME", value: ({ name }: Listed) => name, min: 8 }] : []),
    ...(sessions.some(({ peer }) => peer !== "") ? [{ title: "MACHINE", value: ({ peer }: Listed) => peer }] : []),
    {
      title: "STATE",
      value: ({ state }: Listed) => state,
      min: 8,
      style: (text: string, session: Listed) => coloured(text, session, output),
    },
    ...(sessions.some(({ what }) => what !== "")
      ? [{ title: "WHAT", value: ({ what }: Listed) => what, min: 12 }]
      : []),
    { title: "AGE", value: ({ createdAt }: Listed) => age(new Date(createdAt)), align: "right" as const },
    ...(sessions.some((session) => titleOf(session) !== "") ? [{ title: "TITLE", value: titleOf, min: 16 }] : []),
    {
      title: "DIRECTORY",
      value: ({ cwd, peer }: Listed) => (peer === "" ? tildePath(cwd) : cwd),
      min: 12,
      dispensable: 1,
    },
  ];
  return table(sessions, columns, output.width, (text) => output.style("bold", text)).map((line) => `${line}\n`);
}

/** Empty if the name says it. */
function titleOf({ name, title }: Listed): string {
  return title === name ? "" : title;
}

function listed(session: KnownSession, isOutdated: boolean): Listed {
  const { meta, alive } = session;
  const view = viewOfSession(session, Date.now());
  const { top } = view;
  const queue = queueCounts(session);
  return {
    id: meta.id,
    name: meta.name ?? meta.slug ?? "",
    peer: "",
    alive,
    state: top.status === "ended" ? endOf(meta) : top.status,
    what: [isOutdated ? "outdated" : "", ...queueWords(queue), alive || top.status === "lost" ? whatOf(top) : ""]
      .filter((part) => part !== "")
      .join(" · "),
    hasFailed: hasFailed(view, meta),
    unread: meta.unread,
    createdAt: meta.created_at,
    title: meta.title,
    cwd: meta.cwd,
    json: { ...sessionJson(session, top), ...queue, ...(isOutdated ? { stale: true } : {}) },
  };
}

function withConflicts(
  row: Listed,
  conflicts: readonly { other: string; conflict: EditConflict }[],
  nameOf: (id: string) => string,
): Listed {
  const note = `conflict with ${conflicts.map(({ other }) => nameOf(other)).join(", ")}`;
  const json = conflicts.map(({ other, conflict: { level, files, count } }) => ({ with: other, level, files, count }));
  return {
    ...row,
    what: [note, row.what].filter((part) => part !== "").join(" · "),
    json: { ...row.json, conflicts: json },
  };
}

function listedRemote(row: RemoteRow): Listed {
  const { id, slug = "", name = "", peer, alive, state, what, status, unread, created_at, title, cwd } = row;
  return {
    id,
    name: name || slug,
    peer,
    alive: alive && state !== "unreachable",
    state: state === "offline" ? endOf(row) : state,
    what: [...queueWords(row), alive ? oneLine(what) : ""].filter((part) => part !== "").join(" · "),
    hasFailed: status?.error === true || (!alive && endedInError(row)),
    unread,
    createdAt: created_at,
    title,
    cwd,
    json: remoteJson(row),
  };
}

/** Only tmux knows when it started; the list uses its last report. */
function listedTmux(session: SessionView): Listed {
  const { ref, cwd, top, updatedMs } = session;
  const alive = top.status !== "offline";
  return {
    id: ref,
    name: "",
    peer: "",
    alive,
    state: top.status || "unknown",
    what: alive ? whatOf(top) : "",
    hasFailed: top.status === "error",
    unread: false,
    createdAt: new Date(updatedMs).toISOString(),
    title: "tmux",
    cwd,
    json: tmuxJson(session, alive),
  };
}

/** As in `amux status`. */
function whatOf({ label, message }: AgentView): string {
  return oneLine([label, message].filter((words) => words !== undefined && words !== "").join(" · "));
}

function coloured(text: string, { alive, state, hasFailed, unread }: Listed, output: Output): string {
  if (!alive) return output.style("dim", text);
  if (hasFailed) return output.style("red", text);
  if (isUrgent(state)) return output.style("yellow", text);
  return unread ? output.style("cyan", text) : text;
}

/** The same fields as far as they are known. */
function tmuxJson({ ref, cwd, top, updatedMs, pid }: SessionView, alive: boolean): object {
  return {
    ref,
    id: ref,
    place: "tmux",
    kind: top.agent,
    alive,
    lost: false,
    state: top.status,
    since: new Date(top.since).toISOString(),
    title: ref,
    command: [],
    cwd,
    created_at: new Date(updatedMs).toISOString(),
    exit_code: null,
    status: wireStatus(top),
    message: top.message,
    unread: false,
    name: "",
    pid,
  };
}

/** The same fields, and its machine. */
function remoteJson(row: RemoteRow): object {
  const { id, kind, alive, state, title, command, cwd, created_at, started_at, exited_at } = row;
  const { exit_code, killed, status, unread, slug, name, pid, peer, unreachable = false } = row;
  return {
    ref: id,
    id,
    place: "amux",
    peer,
    unreachable,
    kind,
    unified_id: conversationOf(row),
    alive,
    lost: false,
    state: state === "offline" ? "ended" : state,
    title,
    command,
    cwd,
    created_at,
    started_at,
    exited_at,
    exit_code: exit_code ?? null,
    killed,
    status,
    unread,
    slug,
    name: name ?? "",
    ...shownCounts(row),
    pid,
  };
}

/** Optional fields are absent, never null, except the exit code, where null means not known; no name is `""`. */
function sessionJson({ meta, alive }: KnownSession, top: AgentView): object {
  return {
    ref: meta.id,
    id: meta.id,
    place: "amux",
    kind: meta.kind,
    /** Its conversation, as in `amux sessions list --json`. */
    unified_id: conversationOf(meta),
    alive,
    lost: top.status === "lost",
    state: top.status,
    since: new Date(top.since).toISOString(),
    title: meta.title,
    command: meta.command,
    cwd: meta.cwd,
    created_at: meta.created_at,
    started_at: meta.started_at,
    exited_at: meta.exited_at,
    exit_code: meta.exit_code,
    ...(wasKilled(meta) ? { killed: true } : {}),
    status: meta.status,
    message: top.message,
    unread: meta.unread,
    slug: meta.slug,
    name: meta.name ?? "",
    resumable: !alive && meta.command.length > 0,
    // Pids are reused: an ended session has none.
    pid: alive ? meta.pid : undefined,
  };
}
