/** A conversation, live or past, of any agent. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { sessions } from "../state/projection.ts";
import { VirtualList, type VirtualListHandle } from "../ui/virtual-list.tsx";
import { MessageView, SubagentView } from "./message-view.tsx";
import { Transcript } from "./transcript.ts";
import { TranscriptHeader } from "./transcript-header.tsx";

const GUESSED_HEIGHT = 120;

export function TranscriptView({ unifiedId, message }: { unifiedId: string; message: number | null }): JSX.Element {
  const transcript = useMemo(() => new Transcript(unifiedId), []);
  useEffect(() => () => transcript.close(), []);
  const list = useRef<VirtualListHandle | null>(null);
  const live = [...sessions.value.values()].find(
    (session) => session.alive && `${session.kind}:${session.resume_key}` === unifiedId,
  );
  const isLive = live !== undefined;
  const isFollowing = useSignal(isLive && message === null);
  const count = transcript.count.value;
  void transcript.changes.value;
  const isThere = message === null || count > message;
  useEffect(() => {
    if (message === null || !isThere) return;
    isFollowing.value = false;
    list.current?.scrollTo(message);
  }, [message, isThere]);
  const toPrompt = (step: 1 | -1): void => {
    isFollowing.value = false;
    const at = list.current?.first ?? 0;
    const { prompts } = transcript;
    const next = step > 0 ? prompts.find((index) => index > at) : prompts.findLast((index) => index < at);
    if (next !== undefined) list.current?.scrollTo(next);
  };
  const helpers = transcript.subagents.value;
  const loose = helpers.filter((helper) => helper.toolCallId === undefined);
  return (
    <article class="transcript">
      <TranscriptHeader
        transcript={transcript}
        live={live}
        isFollowing={isFollowing.value}
        onFollow={() => {
          isFollowing.value = !isFollowing.value;
          list.current?.scrollToEnd();
        }}
        onPrompt={toPrompt}
        onJump={(index) => {
          isFollowing.value = false;
          list.current?.scrollTo(index);
        }}
      />
      {transcript.state.value === "failed" ? (
        <p class="empty bad" role="alert">
          {transcript.problem.value}
        </p>
      ) : null}
      {transcript.state.value === "loading" && count === 0 ? <p class="empty">Reading …</p> : null}
      {transcript.state.value === "whole" && count === 0 ? <p class="empty">Nothing was said.</p> : null}
      <VirtualList
        count={count}
        guess={GUESSED_HEIGHT}
        label="Messages"
        follow={isFollowing.value}
        onAtEnd={(atEnd) => {
          if (!atEnd) isFollowing.value = false;
        }}
        handle={list}
        render={(index) => {
          const one = transcript.message(index);
          return one === undefined ? null : (
            <MessageView
              message={one}
              index={index}
              unifiedId={unifiedId}
              subagents={helpers}
              isMarked={index === message}
              turn={one.role === "user" ? transcript.turn(index) : undefined}
            />
          );
        }}
      />
      {loose.length === 0 ? null : (
        <section class="loose-helpers" aria-label="Helpers">
          {loose.map((helper) => (
            <SubagentView key={helper.id} helper={helper} />
          ))}
        </section>
      )}
    </article>
  );
}
