/** Applies one hook call to a session's status file. Everything else in the file stays. */
import type { HookReading, TeamUpdate } from "../core/hooks.ts";
import type { State } from "../core/state.ts";
import { asObject, type Json } from "../lib/json/fields.ts";
import { optional } from "../lib/values/optional.ts";
import { evidenceOf, withEvidence, type StoredAgent } from "./stored-evidence.ts";
import { observe, type World } from "./evidence.ts";
import { readMetrics, startedAt, withTimeIn, withTool, writeMetrics, type Metrics } from "./metrics.ts";
import { teamOf, type StatusFile, type TeamMember } from "./status-file.ts";
import { judge, type Verdict } from "./verdict.ts";

export interface HookCall {
  agent: string;
  /** Its status is the file's own. */
  isMain: boolean;
  reading: HookReading;
  /** Milliseconds since the epoch. */
  now: number;
  world: World;
  /** Socket of tmux's server, to find the session again. */
  tmuxSocket?: string;
  tmuxPane?: string;
}

/** Undefined if nothing changes. */
export function applyHook(file: StatusFile, call: HookCall): StatusFile | undefined {
  const { reading } = call;
  const withTeam = reading.team === undefined ? file : withTeamNews(file, reading.team, call.now);
  if (reading.report === undefined) return reading.team === undefined ? undefined : withTeam;
  return applyReport(reading.report.begins === true ? withoutStoppedMembers(withTeam) : withTeam, call);
}

function applyReport(file: StatusFile, call: HookCall): StatusFile {
  const { agent, reading, now, world, tmuxSocket } = call;
  const kept = evidenceOf(file, agent);
  const { report, event, session, pid } = reading;
  const observation = {
    ...report!,
    source: "hook" as const,
    at: reading.at ?? now,
    event,
    ...optional("session", session),
    ...optional("pid", pid),
  };
  const evidence = observe(kept.evidence, observation, world);
  const verdict = judge(evidence, now);
  // A report that only confirms another means nothing without that one.
  if (verdict === undefined) return file;
  const next: StoredAgent = {
    ...kept,
    ...optional("transcript", reading.transcript),
    ...optional("pane", call.tmuxPane),
    evidence,
  };
  // Only the main agent sets the working directory, if there is one.
  const cwd = call.isMain || file.cwd === "" ? reading.cwd : undefined;
  const base = withEvidence({ ...file, ...optional("cwd", cwd) }, agent, next, tmuxSocket);
  if (!call.isMain) return asExternal(base, call, verdict);
  return withState(
    base,
    { ...verdict, ...optional("session", evidence.session), ...optional("tool", reading.tool) },
    now,
  );
}

/** A session's current state, and its last tool. */
export interface StateChange {
  state: State;
  message?: string;
  /** The agent's own session id. */
  session?: string;
  tool?: string;
}

/** Sets another state, and adds the previous state's duration. */
export function withState(
  file: StatusFile,
  { state, message = "", session, tool }: StateChange,
  nowMs: number,
): StatusFile {
  const timestamp = Math.floor(nowMs / 1000);
  const fields = asObject(file["metrics"]) ?? {};
  const metrics = metricsAfter(file, readMetrics(fields), timestamp, tool);
  return {
    ...file,
    status: state,
    message,
    timestamp,
    ...optional("session_id", session),
    metrics: writeMetrics(fields, metrics),
  };
}

function metricsAfter(file: StatusFile, metrics: Metrics, now: number, tool: string | undefined): Metrics {
  const isFresh = metrics.started === 0 || file.status === "offline";
  const timed = isFresh ? startedAt(now) : withTimeIn(metrics, file.status, file.timestamp, now);
  return tool === undefined ? timed : withTool(timed, tool);
}

/** Changes only its own entry under `agents`, never the main agent's fields. */
function asExternal(file: StatusFile, { agent, now }: HookCall, verdict: Verdict): StatusFile {
  const agents = asObject(file["agents"]) ?? {};
  const { message: _, ...entry } = asObject(agents[agent]) ?? {};
  const timestamp = Math.floor(now / 1000);
  return {
    ...file,
    // Without a main agent so far; an empty word would mean nothing to other readers.
    ...(file.status === "" ? { status: "offline", timestamp } : {}),
    agents: {
      ...agents,
      [agent]: { ...entry, status: verdict.state, timestamp, ...optional("message", verdict.message) },
    },
  };
}

export function withTeamNews(file: StatusFile, news: TeamUpdate, now: number): StatusFile {
  const timestamp = Math.floor(now / 1000);
  const team = teamOf(file) ?? { name: "", agents: [] };
  let agents = team.agents;
  if (news.everyone !== undefined) {
    const status = news.everyone;
    agents = agents.map((member) => (member.status === "stopped" ? member : { ...member, status, timestamp }));
  }
  for (const { name, state, session } of news.members) {
    const before = agents.find((member) => member.name === name);
    // A dismissed member reports idle on its way out.
    if (before?.status === "stopped" && state === "idle") continue;
    const member: TeamMember = { ...before, name, status: state, timestamp, ...optional("session_id", session) };
    agents = before === undefined ? [...agents, member] : agents.map((other) => (other === before ? member : other));
  }
  return { ...file, team: { ...team, ...optional("name", news.name), agents } };
}

/** A new prompt is a good moment to drop members that have left. */
export function withoutStoppedMembers(file: StatusFile): StatusFile {
  const team = teamOf(file);
  if (team === undefined) return file;
  const agents = team.agents.filter((member) => member.status !== "stopped");
  if (agents.length > 0) return { ...file, team: { ...team, agents } };
  const { team: _, ...rest } = file as StatusFile & { team: Json };
  return rest as StatusFile;
}
