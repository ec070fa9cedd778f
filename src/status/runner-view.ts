/** A session of amux, from what its runner answers. */
import type { SessionMeta, SessionVerdict } from "../protocol/runner-api.ts";
import { optional } from "../lib/optional.ts";
import { observationOf } from "./observation.ts";
import { NO_EVIDENCE, observe, type Evidence, type Said } from "./evidence.ts";
import { lookOnce } from "./one-look.ts";
import type { AgentView, SessionView } from "./session-view.ts";
import type { Verdict } from "./verdict.ts";

const ALONE = { isAlive: () => false };

/** `evidence` is the runner's own, where it was asked for; else as much of it as its reports tell. */
export function viewOfRunner(meta: SessionMeta, now: number, kept?: Evidence): SessionView {
  const started = Date.parse(meta.started_at);
  const evidence = kept ?? evidenceFrom(meta, now);
  const verdict = meta.alive ? verdictOf(meta, evidence, now) : undefined;
  const top: AgentView = {
    agent: meta.agent ?? meta.kind,
    isMain: true,
    status: meta.alive ? (verdict?.state ?? "idle") : "offline",
    state: meta.alive ? (verdict?.state ?? "idle") : "offline",
    ...optional("label", verdict?.label),
    ...optional("message", verdict?.message),
    since: verdict?.since ?? (Date.parse(meta.exited_at ?? "") || started),
    ...optional("verdict", verdict),
    evidence,
  };
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
    updatedMs: Math.max(started, ...evidence.log.map(({ at }) => at)),
  };
}

/** The runner's own, which has seen everything; one that is older leaves it to us. */
function verdictOf({ state }: SessionMeta, evidence: Evidence, now: number): Verdict | undefined {
  if (state === undefined) return lookOnce(evidence, [], now);
  return { ...fromWire(state), overruled: lookOnce(evidence, [], now)?.overruled ?? [] };
}

function fromWire({ state, label, message, since: time, ...by }: SessionVerdict): Omit<Verdict, "overruled"> {
  const since = Date.parse(time);
  const words = { state, ...optional("label", label), ...optional("message", message), since };
  return { ...words, by: { ...words, ...by, at: since } as Said };
}

function evidenceFrom(meta: SessionMeta, now: number): Evidence {
  const observations = meta.reports.map((report) => observationOf(report, now)).sort((a, b) => a.at - b.at);
  return observations.reduce((sum, observation) => observe(sum, observation, ALONE), NO_EVIDENCE);
}
