/** One session in the sidebar. */
import type { HTMLAttributes, JSX } from "preact";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { api } from "../state/api.ts";
import { projects } from "../state/projection.ts";
import { transcriptPath } from "../state/route.ts";
import { choose, resumingId, selectedId } from "../state/selection.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { DOT_WORDS } from "../ui/dot.ts";
import { baseName } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";
import { attempt } from "../ui/notices.ts";
import { currentDot, SessionDot } from "../ui/session-dot.tsx";
import { age, fullTime } from "../ui/times.ts";
import { withPin } from "./ordering.ts";

export interface RowDrag {
  onStart(id: string): void;
  onDrop(target: string): void;
}

export function SessionRow({
  session,
  root,
  drag,
}: {
  session: MuxSession;
  root: string;
  drag?: RowDrag;
}): JSX.Element {
  const { id } = session;
  const isSelected = selectedId.value === id;
  const isResuming = resumingId.value === id;
  const state = DOT_WORDS[currentDot(session)];
  return (
    <li
      class={`row ${isSelected ? "selected" : ""} ${session.alive || isResuming ? "" : "dead"}`}
      data-session={id}
      {...(drag === undefined ? {} : dragging(id, drag))}
    >
      <button
        type="button"
        class="row-main"
        aria-current={isSelected ? "true" : undefined}
        aria-label={`${session.title}, ${session.kind}, ${state}`}
        onClick={() => choose(session)}
        onAuxClick={(event) => event.button === 1 && void attempt(() => api.dismiss(id))}
      >
        <SessionDot session={session} />
        <span class="row-text">
          <span class="row-title">{session.title}</span>
          <span class="row-line">
            <AgentBadge agent={session.kind} />
            <RowNote session={session} root={root} isResuming={isResuming} />
          </span>
        </span>
        <RowBadges session={session} />
      </button>
      <RowActions session={session} />
    </li>
  );
}

function dragging(id: string, drag: RowDrag): HTMLAttributes<HTMLLIElement> {
  return {
    draggable: true,
    onDragStart: () => drag.onStart(id),
    onDragOver: (event) => event.preventDefault(),
    onDrop: (event) => {
      event.preventDefault();
      drag.onDrop(id);
    },
  };
}

/** The status label when there is one, else where it runs. */
function RowNote({
  session,
  root,
  isResuming,
}: {
  session: MuxSession;
  root: string;
  isResuming: boolean;
}): JSX.Element {
  const { status, cwd, subtitle } = session;
  if (isResuming) return <span class="row-note">resuming …</span>;
  if (status !== null && status.label !== "") {
    return <span class={`row-note ${status.error === true ? "bad" : "told"}`}>{status.label}</span>;
  }
  const folder =
    root === "" || root === cwd ? undefined : cwd.startsWith(`${root}/`) ? cwd.slice(root.length + 1) : baseName(cwd);
  return <span class="row-note">{subtitle ?? folder ?? ""}</span>;
}

function RowBadges({ session }: { session: MuxSession }): JSX.Element {
  const machine = session.id.includes("@") ? session.id.slice(session.id.indexOf("@") + 1) : undefined;
  const since = session.alive ? (session.started_at ?? session.created_at) : (session.exited_at ?? session.created_at);
  return (
    <span class="row-badges">
      <span class="age" title={fullTime(since)}>
        {age(since)}
      </span>
      {machine === undefined ? null : <span class="badge">{machine}</span>}
      {session.stale ? (
        <span class="badge stale" title="Started by another build of amux; restart it to update">
          outdated
        </span>
      ) : null}
      {projects.value.pins.includes(session.id) ? (
        <span class="pinned" title="Pinned">
          <Icon name="pin" size={12} />
        </span>
      ) : null}
    </span>
  );
}

function RowActions({ session }: { session: MuxSession }): JSX.Element {
  const { id, alive, kind, resume_key } = session;
  const isPinned = projects.value.pins.includes(id);
  return (
    <span class="row-actions">
      {resume_key === undefined ? null : (
        <a
          class="icon-button"
          href={transcriptPath(`${kind}:${resume_key}`)}
          title="Transcript"
          aria-label="Transcript"
        >
          <Icon name="text" />
        </a>
      )}
      <IconButton
        icon="pin"
        label={isPinned ? "Unpin" : "Pin"}
        pressed={isPinned}
        onClick={() => void attempt(() => api.replaceProjects(withPin(projects.value, id)))}
      />
      <IconButton
        icon="close"
        label={alive ? "End and remove" : "Dismiss"}
        onClick={() => {
          if (!alive || confirm(`End “${session.title}” and remove it?`)) void attempt(() => api.dismiss(id));
        }}
      />
    </span>
  );
}
