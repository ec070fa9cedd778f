/** tmux sessions, from their status files, panes and agents' processes. */
import type { State } from "../core/state.ts";
import type { Json } from "../lib/json/fields.ts";
import { startTimeOf } from "../lib/process/processes.ts";
import type { Evidence, Observation } from "./evidence.ts";
import { agentsWithEvidence, evidenceOf, tmuxSocketOf } from "./stored-evidence.ts";
import { viewOf, type SessionView, type VisibleSignals } from "./session-view.ts";
import { AMUX_SESSION, type StatusFile } from "./status-file.ts";
import { tmuxPanes, type TmuxPane } from "./tmux.ts";
import { lastRecords } from "../lib/json/last-records.ts";

interface Seen {
  state: State;
  could_be?: readonly State[];
}

interface Dated extends Seen {
  message?: string;
  at: number;
}

/** What is visible of an agent from outside. */
export interface Signs {
  titleState?(title: string): Seen | undefined;
  transcriptState?(records: readonly Json[]): Dated | undefined;
  processState?(pid: number): Dated | undefined;
}

export interface Agents {
  /** The agent whose status is a status file's own. */
  main: string;
  signs(names: readonly string[]): Promise<ReadonlyMap<string, Signs>>;
}

export async function tmuxViews(
  all: readonly { file: StatusFile }[],
  agents: Agents,
  now: number,
): Promise<SessionView[]> {
  const files = all.filter(({ file }) => file[AMUX_SESSION] === undefined);
  const sockets = new Set(files.flatMap(({ file }) => tmuxSocketOf(file) ?? []));
  const panes = new Map(
    await Promise.all([...sockets].map(async (socket) => [socket, await tmuxPanes(socket)] as const)),
  );
  const signs = await agents.signs(files.flatMap(({ file }) => agentsWithEvidence(file)));
  const views = files.map(({ file }) => viewOf(file, agents.main, sightsOf(file, panes, signs, now), now));
  return views.filter((view) => !hasEnded(view, panes));
}

/** Its server answers and does not know it; or the server is gone and the agent's process too. */
function hasEnded({ name, tmux, top }: SessionView, panes: ReadonlyMap<string, TmuxPane[] | undefined>): boolean {
  if (tmux === undefined) return false;
  const known = panes.get(tmux.socket);
  return known === undefined
    ? top.verdict?.by.source === "process" && top.state === "offline"
    : !known.some(({ session }) => session === name);
}

function sightsOf(
  file: StatusFile,
  panes: ReadonlyMap<string, TmuxPane[] | undefined>,
  signs: ReadonlyMap<string, Signs>,
  now: number,
): VisibleSignals {
  const own = panes.get(tmuxSocketOf(file) ?? "")?.filter((pane) => pane.session === file.tmux_session) ?? [];
  return (agent, evidence) => {
    const of = signs.get(agent) ?? {};
    const titles = own.flatMap((pane) => of.titleState?.(pane.title) ?? []);
    // With several panes it is unclear whose title it is.
    const seen: Observation[] =
      titles.length === 1 ? [{ ...titles[0]!, source: "agent", at: now, event: "title" }] : [];
    return [...seen, ...transcriptSights(of, evidenceOf(file, agent).transcript), ...processSights(of, evidence, now)];
  };
}

function transcriptSights({ transcriptState }: Signs, path: string | undefined): Observation[] {
  if (path === undefined || transcriptState === undefined) return [];
  const told = transcriptState(lastRecords(path));
  return told === undefined ? [] : [{ ...told, source: "transcript", event: "transcript" }];
}

function processSights({ processState }: Signs, { pid }: Evidence, now: number): Observation[] {
  if (pid === undefined) return [];
  if (startTimeOf(pid) === undefined)
    return [{ state: "offline", source: "process", at: now, event: `process ${pid} is gone` }];
  const noted = processState?.(pid);
  return noted === undefined ? [] : [{ ...noted, source: "agent", event: "process note" }];
}
