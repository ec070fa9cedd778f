/** Where things stand: what happened since you last looked, who is at work, and how the weeks went. */
import { computed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Wire } from "../../client/daemon-api.ts";
import type { SessionSummary } from "../../core/session.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { openLaunch } from "../launch/launch-dialog.tsx";
import { api } from "../state/api.ts";
import { lastLook } from "../state/preferences.ts";
import { isComplete, sessions } from "../state/projection.ts";
import { transcriptPath } from "../state/route.ts";
import { choose } from "../state/selection.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { baseName, plural } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";
import { attempt } from "../ui/notices.ts";
import { SessionDot } from "../ui/session-dot.tsx";
import { age, fullTime } from "../ui/times.ts";
import { HeatMap } from "./heat-map.tsx";

const HISTORY = 2000;
const RECENT = 12;

const live = computed(() => [...sessions.value.values()].filter(({ alive }) => alive));

export function OverviewView(): JSX.Element {
  const history = useSignal<readonly Wire<SessionSummary>[]>([]);
  const since = useMemo(() => lastLook.peek(), []);
  useEffect(() => {
    void attempt(async () => {
      history.value = await api.history({ limit: HISTORY, counts: false });
    });
    return () => {
      lastLook.value = new Date().toISOString();
    };
  }, []);
  const fresh = since === "" ? [] : history.value.filter(({ updatedAt }) => updatedAt > since);
  return (
    <article class="overview scroll">
      <header class="view-head plain">
        <a class="icon-button only-phone" href="/sessions" aria-label="All sessions">
          <Icon name="back" />
        </a>
        <div class="view-title">
          <h1>Overview</h1>
        </div>
      </header>
      <section aria-label="Running">
        <h2>Running now</h2>
        {isComplete.value && live.value.length === 0 ? (
          <p class="empty">
            Nothing runs.{" "}
            <button type="button" class="primary small" onClick={() => openLaunch()}>
              Start a session
            </button>
          </p>
        ) : (
          <ul class="tiles">
            {live.value.map((session) => (
              <Tile key={session.id} session={session} />
            ))}
          </ul>
        )}
      </section>
      <section aria-label="Activity">
        <h2>Activity</h2>
        <HeatMap days={history.value.map(({ updatedAt }) => updatedAt)} />
      </section>
      <section aria-label="Conversations">
        <h2>
          {fresh.length > 0
            ? `${plural(fresh.length, "conversation")} moved on since you last looked`
            : "Latest conversations"}
        </h2>
        <ul class="recent">
          {(fresh.length > 0 ? fresh : history.value).slice(0, RECENT).map((summary) => (
            <li key={summary.unifiedId}>
              <a href={transcriptPath(summary.unifiedId)}>
                <AgentBadge agent={summary.agent} />
                <span class="recent-title">{summary.title}</span>
                <span class="muted wide-only">{summary.cwd === undefined ? "" : baseName(summary.cwd)}</span>
                <span class="muted" title={fullTime(summary.updatedAt)}>
                  {age(summary.updatedAt)}
                </span>
              </a>
            </li>
          ))}
        </ul>
      </section>
    </article>
  );
}

function Tile({ session }: { session: MuxSession }): JSX.Element {
  const { title, kind, cwd, status } = session;
  return (
    <li>
      <button type="button" class="tile" onClick={() => choose(session)}>
        <span class="tile-head">
          <SessionDot session={session} />
          <strong>{title}</strong>
        </span>
        <span class="tile-note">{status?.label || baseName(cwd)}</span>
        <span class="view-line">
          <AgentBadge agent={kind} /> <span class="muted">{age(session.started_at ?? session.created_at)}</span>
        </span>
      </button>
    </li>
  );
}
