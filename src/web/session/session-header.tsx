/** The header of a session: title, location and actions. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { conversationOf } from "../../client/conversation.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { BESIDE } from "../palette/commands.ts";
import { QueueButton } from "../queue/queue-button.tsx";
import { openPalette } from "../palette/palette.tsx";
import { closeMain, isFull } from "../state/beside.ts";
import { castOpen } from "../cast/cast.ts";
import { shareOpen } from "../share/share.ts";
import { tilde } from "../state/agents.ts";
import { isNarrow } from "../state/preferences.ts";
import { conversationPath } from "../state/route.ts";
import { AgentBadge } from "../ui/agent-badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { api } from "../state/api.ts";
import { attempt } from "../ui/notices.ts";
import { clock } from "../ui/times.ts";
import { bytes, money } from "../ui/figures.ts";
import { Icon } from "../ui/icon.tsx";
import { MachineBadge } from "../ui/machine-badge.tsx";
import { ActionMenu, type MenuItem } from "../ui/menu.tsx";
import type { Details } from "./details.ts";
import { end, restart } from "./session-actions.ts";
import { SessionTitle } from "./session-title.tsx";
import { ViewTabs, type Tabs } from "./view-tabs.tsx";

export interface SessionHeaderProps {
  session: MuxSession;
  /** Only for a running session. */
  details?: Details;
  onSplit?(): void;
  tabs: Tabs;
  /** Defaults to closing the view. */
  onClose?(): void;
}

export function SessionHeader({
  session,
  details,
  onSplit,
  tabs,
  onClose = closeMain,
}: SessionHeaderProps): JSX.Element {
  const { alive, kind, agent, peer } = session;
  const shared = conversationOf(session);
  const isEdited = useSignal(false);
  const items: MenuItem[] = [
    { label: "Rename", icon: "pencil", run: () => (isEdited.value = true) },
    ...(onSplit === undefined ? [] : [{ label: "Split terminal", icon: "split" as const, run: onSplit }]),
    ...(isNarrow.value || isFull()
      ? []
      : [{ label: "Open another session beside", icon: "compare" as const, run: () => openPalette(BESIDE) }]),
    ...(session.recorded === true
      ? [{ label: "Play recording", icon: "play" as const, run: () => void (castOpen.value = session) }]
      : []),
    ...(shared === undefined || peer !== undefined
      ? []
      : [
          {
            label: "Share…",
            icon: "share" as const,
            run: () => void (shareOpen.value = { unifiedId: shared, title: session.title }),
          },
        ]),
    ...(alive
      ? [
          { label: "Restart", icon: "refresh" as const, run: () => void restart(session) },
          { label: "End", icon: "stop" as const, run: () => void end(session) },
        ]
      : []),
  ];
  const conversation = conversationPath(session);
  return (
    <header class="view-head">
      <a class="icon-button only-phone" href="/list" aria-label="All sessions">
        <Icon name="back" />
      </a>
      <div class="view-title">
        <SessionTitle session={session} isEdited={isEdited} />
        <p class="view-line">
          <AgentBadge agent={agent ?? kind} />
          <MachineBadge session={session} />
          <span class="path" title={session.cwd}>
            {session.peer === undefined ? tilde(session.cwd) : session.cwd}
          </span>
          {details === undefined ? null : <LiveFacts details={details} />}
        </p>
      </div>
      <div class="view-actions">
        <ViewTabs tabs={tabs} isBelow={false} />
        {hasQueue(session) ? <QueueButton session={session} /> : null}
        {conversation === undefined ? null : (
          <a class="button" href={conversation} aria-label="Transcript">
            <Icon name="text" size={14} /> <span class="wide-only">Transcript</span>
          </a>
        )}
        <ActionMenu label="Actions" items={items} />
        <IconButton icon="close" label={alive ? "Close (the session keeps running)" : "Close"} onClick={onClose} />
      </div>
    </header>
  );
}

/** A plain shell has one only if something was put into it. */
function hasQueue({ kind, agent, queued, queue_held }: MuxSession): boolean {
  return kind !== "shell" || agent !== undefined || (queued ?? queue_held) !== undefined;
}

/** Branch and memory. */
function LiveFacts({ details }: { details: Details }): JSX.Element {
  const { id, git, usage, cost, snoozed_until } = details.value.value ?? {};
  return (
    <>
      {id === undefined || snoozed_until === undefined ? null : (
        <button
          type="button"
          class="quiet small snoozed"
          title="Show it in the attention list again"
          onClick={() => void attempt(() => api.snooze(id)).then(() => details.look())}
        >
          Snoozed until {clock(snoozed_until)} · <u>wake</u>
        </button>
      )}
      {git === undefined ? null : (
        <span class="fact">
          {git.branch}
          {git["dirty"] === true ? " •" : ""}
        </span>
      )}
      {cost === undefined || cost.kind === "unknown" ? null : (
        <span class="fact wide-only" title="Cost of the conversation so far">
          {money(cost.totalUsd)}
        </span>
      )}
      {usage === undefined ? null : <span class="fact wide-only">{bytes(usage.rss_bytes)}</span>}
    </>
  );
}
