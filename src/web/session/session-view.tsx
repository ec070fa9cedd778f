/** The view of a session: its terminals if it runs, else its last screen. */
import type { JSX } from "preact";
import { route, type Route } from "../state/route.ts";
import { isAttachable, selected } from "../state/selection.ts";
import { connection, isComplete, sessions } from "../state/projection.ts";
import { EndedSession } from "./ended-session.tsx";
import { LiveSession } from "./live-session.tsx";
import { SessionHeader } from "./session-header.tsx";

export function SessionView(): JSX.Element {
  const here = route.value as Extract<Route, { view: "session" }>;
  const live = selected.value;
  if (live !== undefined && isAttachable(live) && (here.id === null || here.id === live.id)) {
    return <LiveSession key={live.id} session={live} />;
  }
  const shown = here.id === null ? undefined : sessions.value.get(here.id);
  const isAway = shown?.alive === true && connection.value === "lost";
  if (shown !== undefined && !isAway) {
    return (
      <article class="session" aria-label={shown.title}>
        <SessionHeader session={shown} />
        <EndedSession key={shown.id} session={shown} />
      </article>
    );
  }
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
