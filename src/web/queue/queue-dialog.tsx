/** A session's queue of prompts: what waits and for what, with receipts; prompts can be added, edited, paused and removed. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { askQueue } from "../../client/queue-of-daemon.ts";
import type { PromptQueueAnswer, QueueAct, QueuedPrompt } from "../../protocol/queue.ts";
import { transport } from "../state/api.ts";
import { InTurn } from "../state/in-turn.ts";
import { IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { attempt, messageOf } from "../ui/notices.ts";
import { clock, dueClock } from "../ui/times.ts";
import { Problem } from "../ui/problem.tsx";

const WHENS: readonly [when: string, label: string][] = [
  ["idle", "when its turn ends"],
  ["reset", "when its usage limit resets"],
  ["", "at a time"],
];

export function QueueDialog({ session, onClose }: { session: MuxSession; onClose(): void }): JSX.Element {
  const { id, title, queued, queue_held, status, alive } = session;
  const queue = useSignal<PromptQueueAnswer | null>(null);
  const problem = useSignal("");
  const requests = useMemo(() => new InTurn(), []);
  // Loaded again with the session's state: it delivers by itself, and what a prompt waits for depends on it.
  useEffect(() => {
    let left = false;
    const list = async (): Promise<PromptQueueAnswer | undefined> =>
      left ? undefined : askQueue(transport, id, { kind: "list" });
    requests.ask(list).then(
      (answer) => {
        if (!left && answer !== undefined) queue.value = answer;
      },
      (error: unknown) => {
        if (!left) problem.value = messageOf(error);
      },
    );
    return () => {
      left = true;
    };
  }, [id, queued, queue_held, alive, status?.label, status?.working]);
  const change = async (act: QueueAct): Promise<boolean> => {
    const answer = await attempt(() => requests.ask(() => askQueue(transport, id, act)));
    if (answer !== undefined) queue.value = answer;
    return answer !== undefined;
  };
  const items = queue.value?.items ?? [];
  return (
    <Dialog label={`Queue of ${title}`} class="queue" onClose={onClose}>
      <header class="dialog-head">
        <h2>Queue of {title}</h2>
        {items.length === 0 || queue.value === null ? null : (
          <button
            type="button"
            class="small"
            onClick={() => void change({ kind: "change", change: { paused: !queue.value!.paused } })}
          >
            {queue.value.paused ? "Continue" : "Pause all"}
          </button>
        )}
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <Problem text={problem.value} />
      {queue.value?.paused === true ? <p class="muted">Paused: nothing is sent.</p> : null}
      {items.length === 0 ? (
        <p class="muted">{queue.value === null ? "Loading …" : "No prompts wait."}</p>
      ) : (
        <ul class="queue-items">
          {items.map((item) => (
            <QueueItem key={item.id} item={item} onChange={change} />
          ))}
        </ul>
      )}
      <PromptForm
        label="Add to the queue"
        text=""
        when="idle"
        onSave={(text, when) => change({ kind: "add", request: { text, when } })}
      />
    </Dialog>
  );
}

export type ItemAct = Exclude<QueueAct, { kind: "add" | "list" }>;

/** `onChange` says whether it was done. */
export function QueueItem({
  item,
  onChange,
  children,
}: {
  item: QueuedPrompt;
  onChange(act: ItemAct): Promise<boolean>;
  children?: ComponentChildren;
}): JSX.Element {
  const isEdited = useSignal(false);
  const { id: name, text, when, state, paused, note } = item;
  const isOpen = state === "queued" || state === "held";
  const act = (wish: { paused?: boolean; again?: boolean }): void =>
    void onChange({ kind: "change", change: { item: name, ...wish } });
  const save = async (changed: string, at: string): Promise<boolean> => {
    const news = { ...(changed === text ? {} : { text: changed }), ...(at === when ? {} : { when: at }) };
    const isSaved =
      Object.keys(news).length === 0 || (await onChange({ kind: "change", change: { item: name, ...news } }));
    if (isSaved) isEdited.value = false;
    return isSaved;
  };
  return (
    <li class={state}>
      <p class="queue-text">{text}</p>
      <p class="muted">
        {stateOf(item)}
        {note === undefined ? "" : `. ${note}`}
      </p>
      {children}
      {isEdited.value ? <PromptForm label="Save" text={text} when={when} onSave={save} /> : null}
      <div class="queue-actions">
        {state === "held" ? (
          <button type="button" class="small" onClick={() => act({ again: true })}>
            Send again
          </button>
        ) : null}
        {isOpen ? (
          <button type="button" class="small" onClick={() => (isEdited.value = !isEdited.value)}>
            {isEdited.value ? "Cancel" : "Edit"}
          </button>
        ) : null}
        {state === "queued" ? (
          <button type="button" class="small" onClick={() => act({ paused: paused !== true })}>
            {paused === true ? "Continue" : "Pause"}
          </button>
        ) : null}
        {state === "delivering" ? null : (
          <button type="button" class="small" onClick={() => void onChange({ kind: "remove", item: name })}>
            Remove
          </button>
        )}
      </div>
    </li>
  );
}

function stateOf({ state, when, paused, due_at, delivered_at, receipt }: QueuedPrompt): string {
  if (state === "delivering") return "Is being sent";
  if (state === "held") return "Held: not sent, or unknown whether it arrived";
  if (state === "delivered") {
    const how = receipt === "transcript" ? "in the transcript" : receipt === "screen" ? "seen on the screen" : "typed";
    return `Delivered${delivered_at === undefined ? "" : ` at ${clock(delivered_at)}`}, ${how}`;
  }
  if (paused === true) return "Paused";
  if (when === "idle") return "Waits for the end of the turn";
  const repeats = /^(?:daily|weekdays|every) /.test(when) ? `, ${when}` : "";
  if (due_at !== undefined) return `Due ${dueClock(due_at)}${when === "reset" ? ", when the limit resets" : repeats}`;
  return when === "reset" ? "Waits for the reset of the limit" : `Waits: ${when}`;
}

interface PromptFormProps {
  label: string;
  text: string;
  when: string;
  onSave(text: string, when: string): Promise<boolean>;
}

function PromptForm({ label, text, when, onSave }: PromptFormProps): JSX.Element {
  const typed = useSignal(text);
  const isNamed = WHENS.some(([name]) => name === when);
  const kind = useSignal(isNamed ? when : "");
  const time = useSignal(isNamed ? "" : when);
  const isBusy = useSignal(false);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    const isSaved = await onSave(typed.value, kind.value === "" ? time.value : kind.value);
    isBusy.value = false;
    if (isSaved) typed.value = text;
  };
  const isReady = typed.value.trim() !== "" && (kind.value !== "" || time.value.trim() !== "");
  return (
    <form class="queue-form" onSubmit={(event) => void save(event)}>
      <textarea
        class="field"
        rows={3}
        aria-label="Prompt"
        placeholder="Prompt"
        value={typed.value}
        onInput={(event) => (typed.value = event.currentTarget.value)}
      />
      <div class="queue-actions">
        <select
          class="field small"
          aria-label="When"
          value={kind.value}
          onChange={(event) => (kind.value = event.currentTarget.value)}
        >
          {WHENS.map(([name, words]) => (
            <option key={words} value={name}>
              {words}
            </option>
          ))}
        </select>
        {kind.value === "" ? (
          <input
            class="field small"
            aria-label="Time"
            placeholder="9:00, in 2h, weekdays 9:00"
            value={time.value}
            onInput={(event) => (time.value = event.currentTarget.value)}
          />
        ) : null}
        <button type="submit" class="small primary" disabled={isBusy.value || !isReady}>
          {label}
        </button>
      </div>
    </form>
  );
}
