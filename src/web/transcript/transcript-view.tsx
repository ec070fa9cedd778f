/** The transcript view, for running and past sessions. */
import { computed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { ChangesView, tabsOf, ViewTabs, type Tab } from "../session/view-tabs.tsx";
import { agentOf, loadAgentsOf } from "../state/agents.ts";
import { sessions } from "../state/projection.ts";
import { attempt } from "../ui/notices.ts";
import { highlightText } from "../ui/highlight-text.ts";
import { VirtualList, type VirtualListHandle } from "../ui/virtual-list.tsx";
import { ContinueMenu, type ContinuePoint } from "./continue-menu.tsx";
import { MessageView, SubagentView } from "./message-view.tsx";
import { isOf, Transcript } from "./transcript.ts";
import { Timeline } from "./timeline.tsx";
import { TranscriptHeader } from "./transcript-header.tsx";
import { TranscriptTools, useSelection } from "./transcript-tools.tsx";

const GUESSED_HEIGHT = 120;

const TABS: readonly Tab[] = [
  ["", "Messages"],
  ["changes", "Changes"],
];

export interface TranscriptProps {
  unifiedId: string;
  /** The machine of the session; undefined for this one. */
  peer: string | undefined;
  message: number | null;
}

export function TranscriptView({ unifiedId, peer, message }: TranscriptProps): JSX.Element {
  const transcript = useMemo(() => new Transcript(unifiedId, peer), []);
  useEffect(() => () => transcript.close(), []);
  useEffect(() => {
    // Without the peer's agents, no action is offered here.
    if (peer !== undefined) void attempt(() => loadAgentsOf(peer));
  }, []);
  const tabs = tabsOf(TABS);
  const goingOn = useSignal<ContinuePoint | null>(null);
  const list = useRef<VirtualListHandle | null>(null);
  const live = useMemo(() => computed(() => liveSession(unifiedId, peer)), []).value;
  const isLive = live !== undefined;
  const isFollowing = useSignal(isLive && message === null);
  const count = transcript.count.value;
  const isThere = message === null || count > message;
  useEffect(() => {
    if (message === null || !isThere) return;
    isFollowing.value = false;
    list.current?.scrollTo(message);
  }, [message, isThere]);
  const selection = useSelection(transcript);
  const { find } = selection;
  const shown = selection.shown.value;
  /** The last jump target. */
  const current = useSignal<number | null>(null);
  useEffect(() => void (current.value = null), [find, selection.only]);
  const box = useRef<HTMLElement>(null);
  useEffect(() => highlightText(box.current!, find), [find]);
  const jump = (index: number): void => {
    isFollowing.value = false;
    current.value = index;
    const row = shown === null ? index : shown.findIndex((one) => one >= index);
    list.current?.scrollTo(Math.max(0, row));
  };
  const helpers = transcript.subagents.value;
  const render = useCallback(
    (row: number) => {
      const index = shown === null ? row : (shown[row] ?? -1);
      const one = transcript.message(index);
      return one === undefined ? null : (
        <MessageView
          message={one}
          index={index}
          unifiedId={unifiedId}
          peer={peer}
          subagents={helpers}
          isMarked={index === message || index === current.value}
          isFound={index === current.value && find !== ""}
          tookMs={one.role === "assistant" ? transcript.elapsed(index - 1, index) : undefined}
          turn={one.role === "user" ? transcript.turn(index) : undefined}
          onGoOn={
            transcript.facts.value?.memory === true
              ? undefined
              : (button) => (goingOn.value = { index, role: one.role, button })
          }
        />
      );
    },
    [message, helpers, transcript.changes.value, transcript.state.value, shown, current.value, find],
  );
  const loose = helpers.filter((helper) => helper.toolCallId === undefined);
  const messages = (
    <>
      {count === 0 ? null : (
        <TranscriptTools
          transcript={transcript}
          selection={selection}
          current={current}
          first={() => {
            const row = list.current?.first ?? 0;
            return shown === null ? row : (shown[row] ?? 0);
          }}
          onJump={jump}
        />
      )}
      {transcript.prompts.length < 2 ? null : <Timeline transcript={transcript} onJump={jump} />}
      {transcript.state.value === "failed" ? (
        <p class="empty bad" role="alert" data-no-keys>
          {transcript.problem.value}
        </p>
      ) : null}
      {transcript.state.value === "loading" && count === 0 ? <p class="empty">Reading …</p> : null}
      {transcript.state.value === "whole" && count === 0 ? <p class="empty">No messages.</p> : null}
      {shown?.length === 0 ? <p class="empty">No {selection.only} in this session.</p> : null}
      <VirtualList
        key={selection.only}
        count={shown === null ? count : shown.length}
        guess={GUESSED_HEIGHT}
        label="Messages"
        follow={isFollowing.value}
        onAtEnd={(atEnd) => {
          if (!atEnd) isFollowing.value = false;
        }}
        handle={list}
        render={render}
      />
      {goingOn.value === null ? null : (
        <ContinueMenu
          transcript={transcript}
          place={goingOn.value}
          agent={agentOf(unifiedId, peer)}
          live={live}
          onClose={() => (goingOn.value = null)}
        />
      )}
      {loose.length === 0 ? null : (
        <section class="loose-helpers" aria-label="Sub-agents">
          {loose.map((helper) => (
            <SubagentView key={helper.id} helper={helper} others={helpers.filter(({ id }) => id !== helper.id)} />
          ))}
        </section>
      )}
    </>
  );
  return (
    <article class="transcript" ref={box}>
      <TranscriptHeader
        transcript={transcript}
        live={live}
        tabs={tabs}
        isFollowing={isFollowing.value}
        onFollow={() => {
          isFollowing.value = !isFollowing.value;
          list.current?.scrollToEnd();
        }}
        onJump={jump}
      />
      {transcript.facts.value === null || transcript.facts.value.memory === true ? null : (
        <ViewTabs tabs={tabs} isBelow />
      )}
      {tabs.shown === "changes" ? <ChangesView target={{ unifiedId, peer }} isMain /> : messages}
    </article>
  );
}

/** The running session that writes this transcript. */
function liveSession(unifiedId: string, peer: string | undefined): MuxSession | undefined {
  for (const session of sessions.value.values()) if (session.alive && isOf(session, unifiedId, peer)) return session;
  return undefined;
}
