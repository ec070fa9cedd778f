/** The overview: changes since the last visit, working sessions, and activity over weeks. */
import { computed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Wire } from "../../client/daemon-api.ts";
import type { SessionSummary } from "../../core/session.ts";
import type { Overview } from "../../protocol/history-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { openLaunch } from "../launch/launch-dialog.tsx";
import { ScheduledPrompts } from "../queue/scheduled-prompts.tsx";
import { api } from "../state/api.ts";
import { inLocalZone } from "../state/local-zone.ts";
import { asked, attention, connection, isComplete, sessions } from "../state/projection.ts";
import { choose } from "../state/selection.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { baseName, plural } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";
import { RecentSession } from "../ui/recent-session.tsx";
import { MachineBadge } from "../ui/machine-badge.tsx";
import { attempt } from "../ui/notices.ts";
import { SessionDot } from "../ui/session-dot.tsx";
import { age } from "../ui/times.ts";
import { ChangeList } from "./change-list.tsx";
import { changesSince } from "./changes.ts";
import { LastOutput } from "./last-output.tsx";
import { HeatMap } from "./heat-map.tsx";
import { useLastLook } from "./last-look.ts";
import { Welcome } from "./welcome.tsx";

const RECENT = 10;
const DAYS = 366;

const live = computed(() => [...sessions.value.values()].filter(({ alive }) => alive).sort(byNeed));

export function OverviewView(): JSX.Element {
  const latest = useSignal<readonly Wire<SessionSummary>[] | null>(null);
  const overview = useSignal<Overview | null>(null);
  const load = (since: string): void => {
    void attempt(async () => {
      latest.value = await api.history({ limit: RECENT, counts: false });
    });
    void attempt(async () => {
      overview.value = await inLocalZone((time_zone) =>
        api.overview({
          days: DAYS,
          ...(time_zone === undefined ? {} : { time_zone }),
          ...(since === "" ? {} : { since }),
        }),
      );
    });
  };
  const since = useLastLook(load);
  const isLive = connection.value === "live";
  useEffect(() => {
    if (isLive) load(since.peek());
  }, [isLive]);
  const isNew = isComplete.value && latest.value?.length === 0 && sessions.value.size === 0;
  const moved = overview.value?.changed ?? [];
  const world = { sessions: sessions.value.values(), attention: attention.value, moved };
  return (
    <article class="overview scroll">
      <header class="view-head plain">
        <a class="icon-button only-phone" href="/list" aria-label="All sessions">
          <Icon name="back" />
        </a>
        <div class="view-title">
          <h1>Overview</h1>
        </div>
      </header>
      {isNew ? <Welcome /> : <Running />}
      <ScheduledPrompts />
      {isNew || since.value === "" || overview.value === null ? null : (
        <ChangeList changes={changesSince(since.value, world)} since={since.value} overview={overview.value} />
      )}
      {isNew ? null : (
        <>
          <section aria-label="Activity">
            <h2>
              Activity <span class="muted">by day, over a year</span>
            </h2>
            {overview.value === null ? (
              <p class="muted">{connection.value === "lost" ? "Not known while the daemon is down." : "Reading …"}</p>
            ) : (
              <HeatMap days={overview.value.days} />
            )}
          </section>
          <section aria-label="Conversations">
            <h2>Latest conversations</h2>
            {latest.value === null && connection.value !== "lost" ? <p class="muted">Reading …</p> : null}
            {latest.value?.length === 0 ? <p class="muted">No sessions on this machine yet.</p> : null}
            <ul class="recent">
              {(latest.value ?? []).map((summary) => (
                <RecentSession key={summary.unifiedId} summary={summary} />
              ))}
            </ul>
          </section>
        </>
      )}
    </article>
  );
}

function Running(): JSX.Element {
  return (
    <section aria-label="Running">
      <h2>
        Running now <span class="muted">{standing(live.value)}</span>
      </h2>
      {isComplete.value && live.value.length === 0 ? (
        <p class="empty">
          No sessions running.{" "}
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
  );
}

/** Sessions that need attention first, then working ones, each newest first. */
function byNeed(a: MuxSession, b: MuxSession): number {
  return rank(a) - rank(b) || (a.created_at < b.created_at ? 1 : -1);
}

function rank({ id, status }: MuxSession): number {
  const reason = asked.value.get(id);
  if (reason === "permission" || reason === "question") return 0;
  if (status?.error === true) return 1;
  return status?.working === true ? 2 : 3;
}

function standing(all: readonly MuxSession[]): string {
  if (all.length === 0) return "";
  const counts = [0, 0, 0, 0];
  for (const session of all) counts[rank(session)]!++;
  const [needs, failed, working, idle] = counts as [number, number, number, number];
  const words = [
    needs === 0 ? "" : `${plural(needs, "needs", "need")} you`,
    failed === 0 ? "" : `${failed} failed`,
    working === 0 ? "" : `${working} working`,
    idle === 0 ? "" : `${idle} idle`,
  ];
  return words.filter(Boolean).join(" · ");
}

function Tile({ session }: { session: MuxSession }): JSX.Element {
  const { title, kind, agent, cwd, status } = session;
  return (
    <li>
      <button type="button" class="tile" onClick={() => choose(session)}>
        <span class="tile-head">
          <SessionDot session={session} />
          <strong>{title}</strong>
        </span>
        {status?.label && status.label !== title ? (
          <span class={`tile-note ${status.error === true ? "bad" : ""}`}>{status.label}</span>
        ) : null}
        <LastOutput session={session} />
        <span class="view-line">
          <AgentBadge agent={agent ?? kind} /> <span>{baseName(cwd)}</span>{" "}
          <span>{age(session.started_at ?? session.created_at)}</span>
          <MachineBadge session={session} />
        </span>
      </button>
    </li>
  );
}
