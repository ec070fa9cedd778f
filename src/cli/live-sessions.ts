/** Every session that can be seen from here: amux's own through their sockets, tmux's through their status files. */
import { join } from "node:path";
import type { AgentAdapter, AgentEnv } from "../agents/adapter.ts";
import { HOOK_EVENTS } from "../agents/hook-events.gen.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { listLive } from "../client/live-sockets.ts";
import { askRunner } from "../client/runner-http.ts";
import { AgentMuxError } from "../core/errors.ts";
import { asObject, asText, type Json } from "../lib/fields.ts";
import { optional } from "../lib/optional.ts";
import { amuxHome, processEnv } from "../lib/paths.ts";
import { startTimeOf } from "../lib/processes.ts";
import { SessionMeta } from "../protocol/runner-api.ts";
import { sessionFiles } from "../protocol/session-files.ts";
import type { Evidence, Observation } from "../status/evidence.ts";
import { agentsWithEvidence, evidenceOf, readEvidence, tmuxSocketOf } from "../status/kept-evidence.ts";
import { viewOfRunner } from "../status/runner-view.ts";
import { viewOf, type SessionView, type Sights } from "../status/session-view.ts";
import { SnoozeFile } from "../status/snooze.ts";
import { AMUX_SESSION, metricsOf, teamOf, type StatusFile } from "../status/status-file.ts";
import { statusDirectory, StatusStore } from "../status/status-store.ts";
import { tmuxPanes, type TmuxPane } from "../status/tmux.ts";
import { lastRecords } from "../status/transcript-tail.ts";
import { sessionPlaces } from "./mux/places.ts";

export function statusStore(): StatusStore {
  return new StatusStore(statusDirectory(processEnv()));
}

export function snoozeFile(): SnoozeFile {
  return new SnoozeFile(join(amuxHome(processEnv()), "snoozed.json"));
}

/** Whose status is a status file's own. */
const MAIN_AGENT = Object.values(HOOK_EVENTS).find((hooks) => hooks.isMain === true)!.name;

export async function liveSessions(now = Date.now()): Promise<SessionView[]> {
  const files = statusStore().list();
  const [runners, others] = await Promise.all([runnerSessions(now), tmuxSessionsIn(files, now)]);
  const own = new Map(files.map(({ file }) => [file[AMUX_SESSION], file]));
  return [...runners.map((session) => withFile(session, own.get(session.ref))), ...others];
}

/** One of amux's own sessions with all that its runner keeps of what was said. */
export async function withEvidence(session: SessionView, now = Date.now()): Promise<SessionView> {
  if (session.place !== "amux") return session;
  const { socket } = sessionFiles(sessionPlaces(), session.ref);
  const [meta, kept] = await Promise.all([metaOf(socket), objectAt(socket, "/evidence")]);
  return meta === undefined || kept?.["said"] === undefined ? session : viewOfRunner(meta, now, readEvidence(kept));
}

/** A runner that is just ending, or does not answer, is not shown; the next look will tell. */
async function runnerSessions(now: number): Promise<SessionView[]> {
  const places = sessionPlaces();
  const ids = await listLive(places);
  const metas = await Promise.all(ids.map((id) => metaOf(sessionFiles(places, id).socket)));
  return metas.flatMap((meta) => (meta === undefined ? [] : [viewOfRunner(meta, now)]));
}

async function metaOf(socket: string): Promise<SessionMeta | undefined> {
  return SessionMeta.safeParse(await objectAt(socket, "/meta")).data;
}

async function objectAt(socket: string, path: string): Promise<Json | undefined> {
  try {
    const { body } = await askRunner(socket, { method: "GET", path, timeoutMs: 2000 });
    return asObject(JSON.parse(body.toString("utf8")));
  } catch (error) {
    if (error instanceof AgentMuxError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Sessions of other multiplexers, told by their status files. */
/** What only its status file counts. */
export function withFile(session: SessionView, file: StatusFile | undefined): SessionView {
  if (file === undefined) return session;
  return {
    ...session,
    team: teamOf(file)?.agents ?? [],
    ...optional("metrics", metricsOf(file)),
    ...optional("currentPbi", asText(file["current_pbi"])),
    ...optional("currentPbiTitle", asText(file["current_pbi_title"])),
  };
}

/** Sessions of tmux only. */
export function fileSessions(now = Date.now()): Promise<SessionView[]> {
  return tmuxSessionsIn(statusStore().list(), now);
}

async function tmuxSessionsIn(all: readonly { file: StatusFile }[], now: number): Promise<SessionView[]> {
  const files = all.filter(({ file }) => file[AMUX_SESSION] === undefined);
  const sockets = new Set(files.flatMap(({ file }) => tmuxSocketOf(file) ?? []));
  const panes = new Map(
    await Promise.all([...sockets].map(async (socket) => [socket, await tmuxPanes(socket)] as const)),
  );
  const adapters = await adaptersOf(files.flatMap(({ file }) => agentsWithEvidence(file)));
  return files.map(({ file }) => viewOf(file, MAIN_AGENT, sightsOf(file, panes, adapters, now), now));
}

async function adaptersOf(names: readonly string[]): Promise<Map<string, AgentAdapter>> {
  const registry = new AgentRegistry();
  const known = [...new Set(names)].filter((name) => registry.has(name));
  return new Map(await Promise.all(known.map(async (name) => [name, await registry.get(name)] as const)));
}

function sightsOf(
  file: StatusFile,
  panes: ReadonlyMap<string, TmuxPane[] | undefined>,
  adapters: ReadonlyMap<string, AgentAdapter>,
  now: number,
): Sights {
  const own = panes.get(tmuxSocketOf(file) ?? "")?.filter((pane) => pane.session === file.tmux_session) ?? [];
  return (agent, evidence) => {
    const hooks = adapters.get(agent)?.hooks;
    const titles = own.flatMap((pane) => hooks?.titleState?.(pane.title) ?? []);
    // With several panes nobody can tell whose title is meant.
    const seen: Observation[] =
      titles.length === 1 ? [{ ...titles[0]!, source: "agent", at: now, event: "title" }] : [];
    return [
      ...seen,
      ...transcriptSights(hooks, evidenceOf(file, agent).transcript),
      ...processSights(processEnv(), hooks, evidence, now),
    ];
  };
}

function transcriptSights(hooks: AgentAdapter["hooks"], path: string | undefined): Observation[] {
  if (path === undefined || hooks?.transcriptState === undefined) return [];
  const told = hooks.transcriptState(lastRecords(path));
  return told === undefined ? [] : [{ ...told, source: "transcript", event: "transcript" }];
}

function processSights(env: AgentEnv, hooks: AgentAdapter["hooks"], { pid }: Evidence, now: number): Observation[] {
  if (pid === undefined) return [];
  if (startTimeOf(pid) === undefined)
    return [{ state: "offline", source: "process", at: now, event: `process ${pid} is gone` }];
  const noted = hooks?.processState?.(env, pid);
  return noted === undefined ? [] : [{ ...noted, source: "agent", event: "process note" }];
}
