/** A session's row in the sidebar. */
import { computed } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { endedInError } from "../../protocol/session-end.ts";
import { QueueCount } from "../queue/queue-button.tsx";
import { dismiss } from "../session/session-actions.ts";
import { api } from "../state/api.ts";
import { asked, conflicts, projects } from "../state/projection.ts";
import { conversationPath } from "../state/route.ts";
import { canOpenBeside, openBeside } from "../state/beside.ts";
import { choose, isAttachable, isShown, resumesConversation, resumingId, runAgain } from "../state/selection.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { baseName } from "../ui/figures.ts";
import { MachineBadge } from "../ui/machine-badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { attempt } from "../ui/notices.ts";
import { SessionDot } from "../ui/session-dot.tsx";
import { age, fullTime } from "../ui/times.ts";
import { VaultBadge } from "../ui/vault-badge.tsx";
import { gap, rowHandlers } from "./drag-rows.ts";
import { withPin } from "./ordering.ts";

export interface SessionRowProps {
  session: MuxSession;
  /** The directory of its group. */
  root: string;
  /** The group it can be reordered in; absent if the order is fixed. */
  group?: string;
}

/** Its props change only if the session does, so that a new list does not render every row. */
export function SessionRow({ session, root, group }: SessionRowProps): JSX.Element {
  const { id, alive, title, kind, agent, unreachable } = session;
  const is = useMemo(
    () => ({
      shown: computed(() => isShown(id)),
      besideable: computed(() => canOpenBeside(id)),
      resuming: computed(() => resumingId.value === id),
      dropped: computed(() => gap.value?.before === id && gap.value.group === group),
    }),
    [id, group],
  );
  const classes = [
    "row",
    is.shown.value ? "selected" : "",
    alive || is.resuming.value || isConversation(session) ? "" : "dead",
    unreachable === true ? "unreachable" : "",
    is.dropped.value ? "drop-here" : "",
  ];
  return (
    <li
      class={classes.filter(Boolean).join(" ")}
      data-session={id}
      {...(group === undefined ? {} : rowHandlers(id, group))}
    >
      <button
        type="button"
        class="row-main"
        aria-current={is.shown.value ? "true" : undefined}
        onClick={() => choose(session)}
        onAuxClick={(event) => event.button === 1 && void dismiss(session)}
      >
        <SessionDot session={session} />
        <span class="row-text">
          <span class="row-title">{title}</span>
          <span class="row-line">
            <AgentBadge agent={agent ?? kind} />
            <RowNote session={session} root={root} isResuming={is.resuming.value} />
          </span>
        </span>
        <RowBadges session={session} />
      </button>
      <RowActions session={session} canBeside={is.besideable.value && isAttachable(session)} />
    </li>
  );
}

/** The status label if there is one, else the directory. */
function RowNote({
  session,
  root,
  isResuming,
}: {
  session: MuxSession;
  root: string;
  isResuming: boolean;
}): JSX.Element {
  const { id, status, cwd, subtitle, title } = session;
  if (isResuming) return <span class="row-note">resuming …</span>;
  // Agents that work report their prompt, which is often the title.
  if (status !== null && status.label !== "" && status.label !== title) {
    const isBad = status.error === true || (!session.alive && endedInError(session));
    return <span class={`row-note ${isBad ? "bad" : asked.value.has(id) ? "told" : ""}`}>{status.label}</span>;
  }
  const folder =
    root === "" || root === cwd ? undefined : cwd.startsWith(`${root}/`) ? cwd.slice(root.length + 1) : baseName(cwd);
  return <span class="row-note">{subtitle ?? folder ?? ""}</span>;
}

function RowBadges({ session }: { session: MuxSession }): JSX.Element {
  const since = session.alive ? (session.started_at ?? session.created_at) : (session.exited_at ?? session.created_at);
  return (
    <span class="row-badges">
      <span class="age" title={fullTime(since)}>
        {age(since)}
      </span>
      <MachineBadge session={session} />
      <VaultBadge isShown={session.in_vault === true} />
      <QueueCount session={session} />
      {conflicts.value.has(session.id) ? (
        <span class="badge stale" title={conflicts.value.get(session.id)}>
          conflict
        </span>
      ) : null}
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

function RowActions({ session, canBeside }: { session: MuxSession; canBeside: boolean }): JSX.Element {
  const { id, alive } = session;
  const conversation = conversationPath(session);
  const isPinned = projects.value.pins.includes(id);
  return (
    <span class="row-actions">
      {session.resumable === true ? (
        <IconButton
          icon="play"
          label={resumesConversation(session) ? "Resume" : "Run again"}
          onClick={() => void runAgain(session)}
        />
      ) : null}
      {conversation === undefined ? null : (
        <a class="icon-button" href={conversation} title="Transcript" aria-label="Transcript">
          <Icon name="text" />
        </a>
      )}
      {canBeside ? <IconButton icon="compare" label="Open beside" onClick={() => openBeside(id)} /> : null}
      <IconButton
        icon="pin"
        label={isPinned ? "Unpin" : "Pin"}
        pressed={isPinned}
        onClick={() => void attempt(() => api.replaceProjects(withPin(projects.value, id)))}
      />
      <IconButton
        icon={alive ? "stop" : "close"}
        label={alive ? "End and remove" : "Dismiss"}
        onClick={() => void dismiss(session)}
      />
    </span>
  );
}

/** Known only from the agent's files: it did not end here, but it can be resumed. */
function isConversation({ resumable, started_at }: MuxSession): boolean {
  return resumable === true && started_at === undefined;
}
