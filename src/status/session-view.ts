/** A session's view: its agents' states now; here from its status file. */
import { stateFrom, urgency, type State } from "../core/state.ts";
import { asText } from "../lib/json/fields.ts";
import { optional } from "../lib/values/optional.ts";
import type { Evidence, Observation } from "./evidence.ts";
import { agentsWithEvidence, evidenceOf, tmuxSocketOf } from "./stored-evidence.ts";
import type { Metrics } from "./metrics.ts";
import { evidenceFor, lookOnce } from "./instant-verdict.ts";
import {
  AMUX_SESSION,
  PBI_SOURCE,
  agentsOf,
  gitOf,
  metricsUntil,
  teamOf,
  tokensOf,
  type GitFields,
  type StatusFile,
  type TeamMember,
  type TokenFields,
} from "./status-file.ts";
import type { Verdict } from "./verdict.ts";

export interface AgentView {
  /** Empty for a main agent reported by another program's hooks. */
  agent: string;
  isMain: boolean;
  /** The word in the file, if it is not a known state. */
  status: string;
  state?: State;
  label?: string;
  message?: string;
  /** Milliseconds since the epoch. */
  since: number;
  verdict?: Verdict;
  evidence: Evidence;
}

export interface SessionView {
  /** Its reference on a command line. */
  ref: string;
  name: string;
  /** Its slug in URLs and scripts, if it has one. */
  slug?: string;
  place: "tmux" | "amux";
  /** Its machine, if it is not this one. */
  peer?: string;
  cwd: string;
  /** Its tmux server and pane, if known. */
  tmux?: { socket: string; pane?: string };
  /** The most urgent of its agents: ties go to the main one, then the first by name. Team members do not count. */
  top: AgentView;
  /** The main one first, if anything was reported for it. */
  agents: AgentView[];
  team: TeamMember[];
  teamName?: string;
  git?: Partial<GitFields>;
  metrics?: Metrics;
  tokens?: TokenFields;
  currentPbi?: string;
  currentPbiTitle?: string;
  /** The rule amux inferred it by; absent if it was set explicitly. */
  currentPbiSource?: string;
  /** The program's process, if known. */
  pid?: number;
  /** Whether it has an unread result, if known. */
  unread?: boolean;
  /** When any of its agents last reported. */
  updatedMs: number;
}

/** What is visible of an agent now: its title, its process. */
export type VisibleSignals = (agent: string, evidence: Evidence) => Observation[];

/** `mainAgent` is the one whose status is the file's own. */
export function viewOf(file: StatusFile, mainAgent: string, sights: VisibleSignals, now: number): SessionView {
  const kept = agentsWithEvidence(file);
  const external = agentsOf(file);
  const main: AgentView = agentView(kept.includes(mainAgent) ? mainAgent : "", true, file, file, sights, now);
  const others = Object.entries(external)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([agent, fields]) => agentView(agent, false, fields, file, sights, now));
  // The main agent never reported where only others run.
  const agents = main.status === "" && others.length > 0 ? others : [main, ...others];
  const top = agents.reduce((best, agent) => (urgency(agent.status) < urgency(best.status) ? agent : best));
  const socket = tmuxSocketOf(file);
  return {
    ref: file.tmux_session,
    name: file.tmux_session,
    place: "tmux",
    cwd: file.cwd,
    ...optional(
      "tmux",
      socket === undefined ? undefined : { socket, ...optional("pane", evidenceOf(file, top.agent).pane) },
    ),
    top,
    agents,
    ...teamFields(file),
    ...optional("pid", top.evidence.pid),
    ...optional("git", gitOf(file)),
    ...optional("metrics", metricsUntil(file, now)),
    ...optional("tokens", tokensOf(file)),
    ...pbiFields(file),
    updatedMs: Math.max(file.timestamp, ...Object.values(external).map(({ timestamp }) => timestamp)) * 1000,
  };
}

/** Adds to amux sessions what only their status files count. */
export function withStatusFiles(
  sessions: readonly SessionView[],
  files: readonly { file: StatusFile }[],
  now: number,
): SessionView[] {
  const own = new Map(files.map(({ file }) => [file[AMUX_SESSION], file]));
  return sessions.map((session) => {
    const file = own.get(session.ref);
    if (file === undefined) return session;
    return {
      ...session,
      ...teamFields(file),
      ...optional("metrics", metricsUntil(file, now)),
      ...pbiFields(file),
    };
  });
}

function pbiFields(file: StatusFile): Pick<SessionView, "currentPbi" | "currentPbiTitle" | "currentPbiSource"> {
  return {
    ...optional("currentPbi", asText(file["current_pbi"])),
    ...optional("currentPbiTitle", asText(file["current_pbi_title"])),
    ...optional("currentPbiSource", asText(file[PBI_SOURCE])),
  };
}

function teamFields(file: StatusFile): Pick<SessionView, "team" | "teamName"> {
  const team = teamOf(file);
  return { team: team?.agents ?? [], ...optional("teamName", asText(team?.name)) };
}

interface Written {
  status: string;
  timestamp: number;
  message?: string;
}

function agentView(
  agent: string,
  isMain: boolean,
  written: Written,
  file: StatusFile,
  sights: VisibleSignals,
  now: number,
): AgentView {
  const { status, timestamp, message = "" } = written;
  const evidence = evidenceFor(evidenceOf(file, agent), status, timestamp, message);
  const verdict =
    stateFrom(status) === "offline" ? undefined : lookOnce(evidence, agent === "" ? [] : sights(agent, evidence), now);
  const state = verdict?.state ?? stateFrom(status);
  return {
    agent,
    isMain,
    status: verdict?.state ?? status,
    ...optional("state", state),
    ...optional("label", verdict?.label),
    ...optional("message", verdict === undefined ? asText(message) : verdict.message),
    since: verdict?.since ?? timestamp * 1000,
    ...optional("verdict", verdict),
    evidence,
  };
}
