/** A session of amux, from what its runner answers. */
import type { SessionMeta } from "../protocol/runner-api.ts";
import { optional } from "../lib/optional.ts";
import { observationOf } from "./observation.ts";
import { NO_EVIDENCE, observe, type Evidence } from "./evidence.ts";
import { lookOnce } from "./one-look.ts";
import type { AgentView, SessionView } from "./session-view.ts";

const ALONE = { isAlive: () => false };

export function viewOfRunner(meta: SessionMeta, now: number): SessionView {
  const started = Date.parse(meta.started_at);
  const evidence = evidenceFrom(meta, now);
  const verdict = meta.alive ? lookOnce(evidence, [], now) : undefined;
  const top: AgentView = {
    agent: meta.kind,
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

function evidenceFrom(meta: SessionMeta, now: number): Evidence {
  const observations = meta.reports.map((report) => observationOf(report, now)).sort((a, b) => a.at - b.at);
  return observations.reduce((sum, observation) => observe(sum, observation, ALONE), NO_EVIDENCE);
}
