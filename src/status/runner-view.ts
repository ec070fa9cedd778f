/** Derives the state of an amux session from its runner's answer or its files: the one place that does. */
import type { SessionMeta, SessionVerdict } from "../protocol/runner-api.ts";
import { endedInError, endOf, type ProgramEnd } from "../protocol/session-end.ts";
import type { State } from "../core/state.ts";
import { optional } from "../lib/values/optional.ts";
import { observationOf } from "./observation.ts";
import { NO_EVIDENCE, observe, type Evidence, type SourceReport } from "./evidence.ts";
import { lookOnce } from "./instant-verdict.ts";
import type { AgentView, SessionView } from "./session-view.ts";
import type { Verdict } from "./verdict.ts";

const ALONE = { isAlive: () => false };

/** States in which a lost session's user may still wait for it. */
const MIDWAY: ReadonlySet<State> = new Set(["working", "permission", "waiting"]);

/** `alive`: its process runs; the metadata of a process that died without a word still says that it lives. */
export function viewOfSession({ meta, alive }: { meta: SessionMeta; alive: boolean }, now: number): SessionView {
  return meta.alive && !alive ? viewOfLost(meta, now) : viewOfRunner(meta, now);
}

/** `evidence` is the runner's own, if requested; otherwise rebuilt from its reports. */
export function viewOfRunner(meta: SessionMeta, now: number, kept?: Evidence): SessionView {
  const evidence = kept ?? evidenceFrom(meta, now);
  const verdict = meta.alive ? verdictOf(meta, evidence, now) : undefined;
  const state = meta.alive ? (verdict?.state ?? "idle") : "offline";
  const top: AgentView = {
    agent: meta.agent ?? meta.kind,
    isMain: true,
    status: meta.alive ? state : "ended",
    state,
    ...optional("label", meta.alive ? verdict?.label : endedInError(meta) ? endOf(meta) : undefined),
    ...optional("message", verdict?.message),
    since: verdict?.since ?? (Date.parse(meta.exited_at ?? "") || Date.parse(meta.started_at)),
    ...optional("verdict", verdict),
    evidence,
  };
  return viewWith(top, meta);
}

/** In an error now, ended with one, or lost in the middle of a turn. Lost between turns, nothing was broken off. */
export function hasFailed({ top: { state, status } }: SessionView, end: ProgramEnd): boolean {
  return state === "error" || (status === "ended" && endedInError(end));
}

/** Its process died without a word. Its last state is what the user may still wait for. */
function viewOfLost(meta: SessionMeta, now: number): SessionView {
  const evidence = evidenceFrom(meta, now);
  const last = verdictOf(meta, evidence, now);
  const isMidway = last !== undefined && MIDWAY.has(last.state);
  const top: AgentView = {
    agent: meta.agent ?? meta.kind,
    isMain: true,
    status: "lost",
    state: isMidway ? "error" : "offline",
    ...optional("message", isMidway ? `Lost while ${WORDS[last.state]}; amux resume brings it back.` : undefined),
    since: Date.parse(meta.last_activity_at ?? "") || last?.since || Date.parse(meta.started_at),
    evidence,
  };
  const { pid: _, ...view } = viewWith(top, meta);
  return view;
}

const WORDS: Readonly<Partial<Record<State, string>>> = {
  working: "it was working",
  permission: "it asked for permission",
  waiting: "it asked a question",
};

function viewWith(top: AgentView, meta: SessionMeta): SessionView {
  return {
    ref: meta.id,
    name: meta.title,
    ...optional("slug", meta.slug),
    place: "amux",
    cwd: meta.cwd,
    top,
    agents: [top],
    team: [],
    ...(meta.alive ? { pid: meta.pid } : {}),
    unread: meta.unread,
    updatedMs: Math.max(Date.parse(meta.started_at), ...top.evidence.log.map(({ at }) => at)),
  };
}

/** The runner's own, which has seen everything; an older runner sends none. */
function verdictOf({ state }: SessionMeta, evidence: Evidence, now: number): Verdict | undefined {
  if (state === undefined) return lookOnce(evidence, [], now);
  return { ...fromWire(state), overruled: lookOnce(evidence, [], now)?.overruled ?? [] };
}

function fromWire({
  state,
  label,
  message,
  since: time,
  at,
  asked,
  ...by
}: SessionVerdict): Omit<Verdict, "overruled"> {
  const since = Date.parse(time);
  const words = { state, ...optional("label", label), ...optional("message", message), since };
  return { ...words, ...optional("asked", asked), by: { ...words, ...by, at: Date.parse(at ?? time) } as SourceReport };
}

function evidenceFrom(meta: SessionMeta, now: number): Evidence {
  const observations = meta.reports.map((report) => observationOf(report, now)).sort((a, b) => a.at - b.at);
  return observations.reduce((sum, observation) => observe(sum, observation, ALONE), NO_EVIDENCE);
}
