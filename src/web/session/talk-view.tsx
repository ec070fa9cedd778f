/** An agent's last messages with a field to write to it. The terminal is one tap away. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import { conversationOf } from "../../client/conversation.ts";
import type { AttentionItem } from "../../protocol/daemon-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { isAnswered, isPressing, keyOf, sendAnswer } from "../attention/answered.ts";
import { CardReply, takesText } from "../attention/card-reply.tsx";
import { api } from "../state/api.ts";
import { attention } from "../state/projection.ts";
import { MessageView } from "../transcript/message-view.tsx";
import { Transcript } from "../transcript/transcript.ts";
import { attempt, tell } from "../ui/notices.ts";
import { VirtualList, type VirtualListHandle } from "../ui/virtual-list.tsx";

const GUESSED_HEIGHT = 120;
/** Of the composer; longer text scrolls. */
const MAX_ROWS = 5;

const NEW_QUESTION = "Not sent: the agent asked a question while you were writing. Send again to answer it.";
const NO_QUESTION = "Not sent: the question is gone. Send again as a message.";

const HEADS: Record<AttentionItem["reason"], string> = {
  permission: "Wants permission",
  question: "Asks",
  error: "Failed",
  limit: "Reached a usage limit",
  budget: "Has reached its warning",
  finished: "Finished",
  queue: "Has a held prompt",
  conflict: "Edits the same file as another session",
};

export function TalkView({ session }: { session: MuxSession }): JSX.Element {
  const conversation = conversationOf(session);
  const items = attention.value.filter((item) => item.session_id === session.id && !isAnswered(item));
  return (
    <section class="talk" aria-label="Conversation">
      {conversation === undefined ? (
        <p class="empty">No messages yet. The terminal shows what the agent is doing.</p>
      ) : (
        <Messages key={conversation} unifiedId={conversation} peer={session.peer} />
      )}
      {items.map((item) => (
        <Question key={`${keyOf(item)} ${item.member ?? ""}`} item={item} />
      ))}
      <Composer session={session} question={items.find(isPressing)} />
    </section>
  );
}

function Messages({ unifiedId, peer }: { unifiedId: string; peer: string | undefined }): JSX.Element {
  const transcript = useMemo(() => new Transcript(unifiedId, peer), []);
  useEffect(() => () => transcript.close(), []);
  const list = useRef<VirtualListHandle | null>(null);
  const isFollowing = useSignal(true);
  const helpers = transcript.subagents.value;
  const render = useCallback(
    (index: number) => {
      const message = transcript.message(index);
      return message === undefined ? null : (
        <MessageView message={message} index={index} unifiedId={unifiedId} peer={peer} subagents={helpers} />
      );
    },
    [helpers, transcript.changes.value],
  );
  if (transcript.state.value === "failed") return <p class="empty bad">{transcript.problem.value}</p>;
  return (
    <VirtualList
      count={transcript.count.value}
      guess={GUESSED_HEIGHT}
      label="Messages"
      follow={isFollowing.value}
      onAtEnd={(isAtEnd) => (isFollowing.value = isAtEnd)}
      handle={list}
      render={render}
    />
  );
}

function Question({ item }: { item: AttentionItem }): JSX.Element {
  const { reason, text = "", member } = item;
  return (
    <div class={`talk-question ${reason}`} role="group" aria-label="Needs you">
      <p>
        <strong>{HEADS[reason]}</strong>
        {member === undefined ? null : <span class="muted"> {member}</span>}
      </p>
      {text === "" ? null : <p class="talk-text">{text}</p>}
      {isPressing(item) ? (
        <div class="talk-options">
          <CardReply item={item} />
        </div>
      ) : null}
    </div>
  );
}

/** Writes to the agent, or answers its question. */
function Composer({ session, question }: { session: MuxSession; question: AttentionItem | undefined }): JSX.Element {
  const text = useSignal("");
  const isBusy = useSignal(false);
  /** The question when the text was begun. */
  const meant = useRef("");
  const asked = question === undefined ? "" : keyOf(question);
  const isReply = question !== undefined && takesText(question);
  const isClosed = question !== undefined && !isReply;
  const write = (value: string): void => {
    if (text.value === "") meant.current = asked;
    text.value = value;
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const { value } = text;
    if (meant.current !== asked) {
      meant.current = asked;
      tell(asked === "" ? NO_QUESTION : NEW_QUESTION, { tone: "bad" });
      return;
    }
    isBusy.value = true;
    const isTaken = await (question === undefined ? sendMessage(session.id, value) : sendAnswer(question, value));
    isBusy.value = false;
    if (isTaken) text.value = "";
  };
  return (
    <form class="composer" onSubmit={(event) => void send(event)}>
      <textarea
        class="field"
        rows={Math.min(MAX_ROWS, text.value.split("\n").length)}
        aria-label={`${isReply ? "Reply" : "Message"} to ${session.title}`}
        placeholder={question === undefined ? "Message" : placeholderOf(question)}
        disabled={isClosed}
        value={text.value}
        onInput={(event) => write(event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={isClosed || isBusy.value || text.value.trim() === ""}>
        {isBusy.value ? "Sending …" : "Send"}
      </button>
    </form>
  );
}

function placeholderOf(question: AttentionItem): string {
  if (takesText(question)) return "Reply";
  return (question.options ?? []).length > 0 ? "Answer the question first" : "Answer it in the terminal";
}

async function sendMessage(id: string, text: string): Promise<boolean> {
  const taken = (await attempt(() => api.message(id, text)))?.receipt;
  if (taken === "queued") tell("Queued: the agent reads it when its turn ends.");
  if (taken === "not_taken") tell("The agent did not accept it. Open the terminal to check.", { tone: "bad" });
  return taken === "delivered" || taken === "queued";
}
