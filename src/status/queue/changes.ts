/** A user's changes to a queue. They return a new one, or throw a sentence; nothing else is changed. */
import { AgentMuxError } from "../../core/errors.ts";
import type { StoredPrompt, StoredQueue } from "../../core/queue.ts";
import { optional } from "../../lib/values/optional.ts";
import type { PromptQueueAnswer, QueueAct, QueueChange, QueuedPrompt, QueueRequest } from "../../protocol/queue.ts";
import { newPromptId } from "../../protocol/session-id.ts";
import { mendedSlot, parseWhen, slotOf, storedWhen, whenText } from "./when.ts";

const MAX_WAITING = 100;

/** Delivered ones that stay for their receipts. */
const MAX_DELIVERED = 20;

export function afterAct(queue: StoredQueue, act: QueueAct, now: number): StoredQueue {
  if (act.kind === "list") return queue;
  if (act.kind === "add") return withPrompt(queue, newPrompt(act.request, now));
  return act.kind === "change" ? withChange(queue, act.change, now) : withoutPrompt(queue, act.item);
}

export function newPrompt({ text, when = "idle" }: QueueRequest, now: number, id = newPromptId()): StoredPrompt {
  if (text.trim() === "") throw invalid("The prompt is empty.");
  const created_at = new Date(now).toISOString();
  return { id, text, when: whenText(parseWhen(when, now)), state: "queued", created_at };
}

export function withPrompt(queue: StoredQueue, prompt: StoredPrompt): StoredQueue {
  if (queue.items.filter(isOpen).length >= MAX_WAITING)
    throw invalid(`The queue is full: it has ${MAX_WAITING} prompts. Remove some first.`);
  return { ...queue, items: [...queue.items, prompt] };
}

function withChange(queue: StoredQueue, change: QueueChange, now: number): StoredQueue {
  const { item, text, when, paused, again } = change;
  if (item === undefined) {
    if (paused === undefined || (text ?? when ?? again) !== undefined) throw invalid("Name the prompt to change.");
    const { paused: _, signal_at: __, ...rest } = queue;
    return paused ? { ...rest, paused: "user" } : rest;
  }
  return replaced(queue, item, (old) => {
    if (old.state === "delivering") throw invalid(`${item} is being delivered just now.`);
    if (old.state === "delivered") throw invalid(`${item} was delivered already.`);
    if (text?.trim() === "") throw invalid("The prompt is empty.");
    const news = withoutSame(old, change);
    if (old.state === "held" && again !== true && news.text === undefined && paused === undefined)
      throw invalid(`${item} is held: ${old.note ?? ""} Use amux queue resume ${item} to send it.`);
    return changed(old, news, now);
  });
}

/** A form sends all of its fields. The same time again is no new time: it may be over, or due just now. */
function withoutSame(old: StoredPrompt, { text, when, ...others }: QueueChange): QueueChange {
  return {
    ...others,
    ...(text === old.text ? {} : optional("text", text)),
    ...(when === old.when ? {} : optional("when", when)),
  };
}

/** A changed text, or the user's word, makes a held prompt a new one. */
function changed(old: StoredPrompt, { text, when, paused, again }: QueueChange, now: number): StoredPrompt {
  const { paused: wasPaused, due_at, note, held_at, attempts, wakes, mark, ...rest } = old;
  const isPaused = paused ?? wasPaused === true;
  const isNew = old.state === "held" && (again === true || text !== undefined);
  const isMoved = when !== undefined;
  return {
    ...rest,
    ...optional("text", text),
    ...(isMoved ? { when: whenText(parseWhen(when, now)), created_at: new Date(now).toISOString() } : {}),
    ...(isPaused ? { paused: true } : {}),
    ...(isMoved ? {} : optional("due_at", due_at)),
    ...(isNew ? { state: "queued" } : { ...optional("note", note), ...optional("attempts", attempts) }),
    ...(isNew ? {} : { ...optional("wakes", wakes), ...optional("mark", mark), ...optional("held_at", held_at) }),
  };
}

function withoutPrompt(queue: StoredQueue, id: string): StoredQueue {
  replaced(queue, id, (old) => {
    if (old.state === "delivering") throw invalid(`${id} is being delivered just now.`);
    return old;
  });
  return { ...queue, items: queue.items.filter((item) => item.id !== id) };
}

/** Also drops the oldest delivered ones. */
export function replaced(queue: StoredQueue, id: string, change: (prompt: StoredPrompt) => StoredPrompt): StoredQueue {
  if (!queue.items.some((item) => item.id === id)) throw invalid(`There is no prompt ${id} in the queue.`);
  const items = queue.items.map((item) => (item.id === id ? change(item) : item));
  const old = items.filter(({ state }) => state === "delivered").slice(0, -MAX_DELIVERED);
  return { ...queue, items: items.filter((item) => !old.includes(item)) };
}

/** Waits, or is being delivered. */
export function isOpen({ state }: StoredPrompt): boolean {
  return state === "queued" || state === "delivering";
}

/** Milliseconds since the epoch; undefined if it is not known yet. */
export function dueAt({ when, due_at, created_at, slot }: StoredPrompt, now: number): number | undefined {
  const parsed = storedWhen(when);
  // The clock may have been ahead when it was added.
  if (parsed.kind === "idle") return Math.min(Date.parse(created_at) || 0, now);
  if (parsed.kind === "once") return parsed.at;
  if (parsed.kind === "every") return slotOf(parsed, { taken: slot, since: Date.parse(created_at) }, now).at;
  return due_at === undefined ? undefined : Date.parse(due_at);
}

/** Prompts that repeat go on after the clock was weeks ahead. Undefined if it was not. */
export function withMendedSlots<Item extends StoredPrompt>(items: readonly Item[], now: number): Item[] | undefined {
  const mended = items.map((item) => {
    const when = storedWhen(item.when);
    const slot = when.kind === "every" ? mendedSlot(when, item.slot, now) : undefined;
    return slot === undefined ? item : { ...item, slot };
  });
  return mended.some((item, at) => item !== items[at]) ? mended : undefined;
}

/** Numbers for lists: those that wait, and those that need the user. */
export function countsOf({ items }: StoredQueue): { queued: number; queue_held: number } {
  return {
    queued: items.filter(isOpen).length,
    queue_held: items.filter(({ state }) => state === "held").length,
  };
}

/** As others see it. */
export function shownPrompt(prompt: StoredPrompt, now: number, note?: string): QueuedPrompt {
  const { id, text, when, state, paused, created_at, delivered_at, receipt } = prompt;
  const due = isOpen(prompt) && when !== "idle" ? dueAt(prompt, now) : undefined;
  return {
    id,
    text,
    when,
    state,
    ...optional("paused", paused),
    created_at,
    ...optional("due_at", due === undefined ? undefined : new Date(due).toISOString()),
    ...optional("note", prompt.note ?? (isOpen(prompt) ? note : undefined)),
    ...optional("delivered_at", delivered_at),
    ...optional("receipt", receipt),
  };
}

/** `noteOf`: why a prompt waits. */
export function shownQueue(
  session: string,
  queue: StoredQueue,
  now: number,
  noteOf: (prompt: StoredPrompt) => string | undefined,
): PromptQueueAnswer {
  return {
    session,
    paused: queue.paused !== undefined,
    items: queue.items.map((prompt) => shownPrompt(prompt, now, noteOf(prompt))),
  };
}

function invalid(message: string): AgentMuxError {
  return new AgentMuxError("VALIDATION_ERROR", message);
}
