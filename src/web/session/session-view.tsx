/** The view of a session, and of those beside it: terminals if it runs, else its last screen. */
import type { JSX } from "preact";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { besideIds, closeBeside } from "../state/beside.ts";
import { route, type Route } from "../state/route.ts";
import { isAttachable, selected } from "../state/selection.ts";
import { connection, isComplete, sessions } from "../state/projection.ts";
import { EndedSession } from "./ended-session.tsx";
import { LiveSession } from "./live-session.tsx";
import { SessionHeader } from "./session-header.tsx";
import { ChangesView, tabsOf, ViewTabs, type Tab } from "./view-tabs.tsx";
import { SplitPanes } from "../ui/split-panes.tsx";

const ENDED_TABS: readonly Tab[] = [
  ["", "Last screen"],
  ["changes", "Changes"],
];

export function SessionView(): JSX.Element {
  const panes = [
    { key: "main", content: <MainSession /> },
    ...besideIds.value.map((id) => ({ key: id, content: <SessionBeside id={id} /> })),
  ];
  return <SplitPanes name="sessions" cell="session-cell" panes={panes} />;
}

function SessionBeside({ id }: { id: string }): JSX.Element {
  const session = sessions.value.get(id);
  const onClose = (): void => closeBeside(id);
  if (session !== undefined && isAttachable(session)) return <LiveSession session={session} onClose={onClose} />;
  if (session !== undefined) return <Ended session={session} onClose={onClose} />;
  return (
    <div class="blank">
      {isComplete.value ? (
        <p>
          There is no session “{id}” here.{" "}
          <button type="button" class="small" onClick={onClose}>
            Close
          </button>
        </p>
      ) : null}
    </div>
  );
}

function Ended({ session, onClose }: { session: MuxSession; onClose?: () => void }): JSX.Element {
  const { id } = session;
  const tabs = tabsOf(ENDED_TABS, onClose === undefined ? undefined : id);
  return (
    <article class="session" aria-label={session.title}>
      <SessionHeader session={session} tabs={tabs} {...(onClose === undefined ? {} : { onClose })} />
      <ViewTabs tabs={tabs} isBelow />
      {tabs.shown === "changes" ? (
        <ChangesView key={id} target={{ id }} isMain={onClose === undefined} />
      ) : (
        <EndedSession key={id} session={session} />
      )}
    </article>
  );
}

function MainSession(): JSX.Element {
  const here = route.value as Extract<Route, { view: "session" }>;
  const live = selected.value;
  if (live !== undefined && isAttachable(live) && (here.id === null || here.id === live.id)) {
    return <LiveSession key={live.id} session={live} />;
  }
  const shown = here.id === null ? undefined : sessions.value.get(here.id);
  const isAway = shown?.alive === true && connection.value === "lost";
  if (shown !== undefined && !isAway) return <Ended session={shown} />;
  return (
    <div class="blank" data-no-keys>
      {isAway ? <p>“{shown.title}” is shown again when the daemon is back.</p> : null}
      {isComplete.value && here.id !== null ? (
        <p>
          There is no session “{here.id}” here. <a href="/overview">Overview</a>
        </p>
      ) : null}
    </div>
  );
}
