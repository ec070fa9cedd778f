/** A comment on changed lines: its text, where its code is now, and what can be done with it. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { ReviewComment } from "../../protocol/review.ts";
import { fullTime } from "../ui/times.ts";
import type { Changes } from "./changes.ts";

const PLACES: Record<ReviewComment["place"], string> = {
  same: "",
  moved: "moved with its code",
  changed: "code changed since",
  gone: "code is gone",
  removed: "on removed lines",
  unread: "file cannot be read",
};

const RECEIPTS = {
  delivered: "sent",
  queued: "queued: read when the turn ends",
  not_taken: "not accepted",
  started: "sent to a new session",
} as const;

export function CommentCard({ changes, comment }: { changes: Changes; comment: ReviewComment }): JSX.Element {
  const { id, file, line, end_line, place, state, text, quote, delivery } = comment;
  const isEdited = useSignal(false);
  const where = `${file}:${line}${end_line === line ? "" : `-${end_line}`}`;
  const said = state === "sent" ? (RECEIPTS[delivery?.receipt ?? "delivered"] ?? "sent") : WORDS[state];
  return (
    <section class={`comment-card ${state}`} aria-label={`Comment on ${where}`}>
      <p class="comment-head">
        <span class="path">{where}</span>
        <span class="badge">{said}</span>
        {PLACES[place] === "" ? null : <span class={`badge place-${place}`}>{PLACES[place]}</span>}
        {delivery === undefined ? null : <span class="muted">{fullTime(delivery.at)}</span>}
      </p>
      {place === "gone" || place === "changed" ? <pre class="comment-quote">{quote.join("\n")}</pre> : null}
      {isEdited.value ? (
        <CommentForm
          first={text}
          label="Change the comment"
          onCancel={() => (isEdited.value = false)}
          onSave={async (next) => {
            if (await changes.change({ edit: { id, text: next } })) isEdited.value = false;
          }}
        />
      ) : (
        <p class="comment-text">{text}</p>
      )}
      <p class="comment-actions">
        {state === "draft" && !isEdited.value ? (
          <button type="button" class="small" onClick={() => (isEdited.value = true)}>
            Edit
          </button>
        ) : null}
        <button
          type="button"
          class="small"
          onClick={() => void changes.change(state === "resolved" ? { reopen: [id] } : { resolve: [id] })}
        >
          {state === "resolved" ? "Reopen" : "Resolve"}
        </button>
        <button type="button" class="small" onClick={() => void changes.change({ remove: [id] })}>
          Remove
        </button>
      </p>
    </section>
  );
}

const WORDS = {
  draft: "not sent",
  sending: "sending: it is not known whether it arrived",
  resolved: "resolved",
} as const;

export interface CommentFormProps {
  first: string;
  label: string;
  onInput?(text: string): void;
  onSave(text: string): Promise<void>;
  onCancel(): void;
}

export function CommentForm({ first, label, onInput, onSave, onCancel }: CommentFormProps): JSX.Element {
  const text = useSignal(first);
  const isBusy = useSignal(false);
  const save = async (): Promise<void> => {
    if (isBusy.peek() || text.value.trim() === "") return;
    isBusy.value = true;
    await onSave(text.value.trim());
    isBusy.value = false;
  };
  return (
    <form
      class="comment-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        class="field"
        rows={3}
        aria-label={label}
        placeholder="What should be different?"
        autofocus
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          onInput?.(text.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
          if (event.key === "Escape") onCancel();
        }}
      />
      <p class="comment-actions">
        <button type="submit" class="primary small" disabled={isBusy.value || text.value.trim() === ""}>
          Save
        </button>
        <button type="button" class="small" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}
