/** A session's queue of prompts: add, edit, pause and remove. */
import { oneLine } from "../../lib/text/text.ts";
import { localTime } from "../../lib/text/local-time.ts";
import type { PromptQueueAnswer, QueueAct, QueuedPrompt } from "../../protocol/queue.ts";
import { queueAct } from "../data/session-queue.ts";
import { statusLook } from "../theme.ts";
import type { Stage } from "../view.ts";
import { ListView, type ListItem } from "./list-view.ts";
import { askText, ChoiceView, PromptView } from "./prompts.ts";

const WHENS = ["idle", "reset", "tomorrow 9:00", "in 2h", "weekdays 9:00"];

const STATUS_OF = { queued: "waiting", delivering: "working", delivered: "done", held: "error" } as const;

export function queueView(stage: Stage, sessionId: string, name: string): ListView {
  let queue: PromptQueueAnswer | undefined;
  const act = (wish: QueueAct): void => {
    const asked = async (): Promise<void> => {
      queue = await queueAct(stage.services, sessionId, wish);
      stage.board.refresh();
      stage.redraw();
    };
    stage.attempt(asked());
  };
  act({ kind: "list" });
  return new ListView(stage, {
    title: `Queue of ${oneLine(name)}`,
    hint: "enter edit  ^n add  ^r when  tab pause  ^x remove",
    items: () => (queue === undefined ? [] : itemsOf(queue)),
    empty: () => (queue === undefined ? "loading …" : "no prompts wait; ^n adds one"),
    act: (action, item) => {
      const prompt = queue?.items.find(({ id }) => id === item?.id);
      if (action === "create") return add(stage, act);
      if (prompt !== undefined) change(stage, action, prompt, act);
    },
  });
}

function itemsOf({ items, paused }: PromptQueueAnswer): ListItem[] {
  return items.map((item) => {
    const { icon, look } = statusLook(STATUS_OF[item.state]);
    return { id: item.id, label: oneLine(item.text), detail: detailOf(item, paused), icon: { text: icon, look } };
  });
}

function detailOf({ state, when, paused, due_at, delivered_at, note }: QueuedPrompt, isPaused: boolean): string {
  if (state === "delivered")
    return `delivered${delivered_at === undefined ? "" : ` ${localTime(new Date(delivered_at))}`}`;
  if (state !== "queued") return [state, note].filter((part) => part !== undefined).join(": ");
  if (paused === true || isPaused) return "paused";
  return due_at === undefined ? `when ${when}` : `due ${localTime(new Date(due_at))}`;
}

function add(stage: Stage, act: (wish: QueueAct) => void): void {
  const askWhen = (text: string): void => {
    if (text.trim() === "") return;
    const queueIt = (when: string): void => act({ kind: "add", request: { text, when: when.trim() || "idle" } });
    stage.push(new PromptView(stage, "When (idle, reset, 9:00, weekdays 9:00)", "idle", queueIt, { recent: WHENS }));
  };
  askText(stage, "Prompt", "", askWhen);
}

function change(stage: Stage, action: string, prompt: QueuedPrompt, act: (wish: QueueAct) => void): void {
  const { id: item, when, state, paused } = prompt;
  const isOpen = state === "queued" || state === "held";
  if (action === "delete") return act({ kind: "remove", item });
  if (!isOpen) return stage.say("Only a prompt that waits or is held can be changed.");
  if (action === "choose" && state === "held") return decide(stage, prompt, act);
  if (action === "choose") return edit(stage, prompt, act);
  if (action === "choose-beside") return act({ kind: "change", change: { item, paused: paused !== true } });
  if (action === "rename") {
    const save = (typed: string): void => act({ kind: "change", change: { item, when: typed } });
    stage.push(new PromptView(stage, "When", when, save, { recent: WHENS }));
  }
}

/** Whether a held prompt arrived is unknown: only the user can say that it is to be sent again. */
function decide(stage: Stage, prompt: QueuedPrompt, act: (wish: QueueAct) => void): void {
  const { id: item, note } = prompt;
  const question = note ?? "It was not sent, or it is unknown whether it arrived.";
  stage.push(
    new ChoiceView(stage, oneLine(question), [
      { key: "a", does: "send again", run: () => act({ kind: "change", change: { item, again: true } }) },
      { key: "e", does: "edit", run: () => edit(stage, prompt, act) },
    ]),
  );
}

function edit(stage: Stage, { id: item, text }: QueuedPrompt, act: (wish: QueueAct) => void): void {
  const save = (typed: string): void => {
    if (typed.trim() !== "") act({ kind: "change", change: { item, text: typed } });
  };
  askText(stage, "Prompt", text, save);
}
