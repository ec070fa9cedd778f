/** A session's queue of prompts: add, edit, pause and remove. */
import { errorText } from "../../lib/text/error-text.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { PromptQueueAnswer, QueueAct, QueuedPrompt } from "../../protocol/queue.ts";
import { dueText } from "../../status/queue/queue-words.ts";
import { queueAct, scheduleAct } from "../data/session-queue.ts";
import { tildePath } from "../dashboard/figures.ts";
import { statusLook } from "../theme.ts";
import type { Stage } from "../view.ts";
import { ListView, type ListItem } from "./list-view.ts";
import { askText, ChoiceView, PromptView } from "./prompts.ts";

/** The runner delivers meanwhile. */
const REFRESH_MS = 2000;

/** Of the place where a scheduled session starts. */
const MAX_PLACE = 24;

const WHENS = ["idle", "reset", "tomorrow 9:00", "in 2h", "weekdays 9:00"];

const STATUS_OF = { queued: "waiting", delivering: "working", delivered: "done", held: "error" } as const;

type ItemAct = Exclude<QueueAct, { kind: "add" }>;

export function queueView(stage: Stage, sessionId: string, name: string): ListView {
  const followed = follow(stage, (wish: QueueAct) => queueAct(stage.services, sessionId, wish));
  const { act } = followed;
  return new ListView(stage, {
    title: `Queue of ${oneLine(name)}`,
    closed: followed.stop,
    hint: "enter edit  ^n add  ^r when  tab pause, go on  ^x remove",
    items: () => (followed.answer === undefined ? [] : itemsOf(followed.answer)),
    empty: () => (followed.answer === undefined ? "loading …" : "no prompts wait; ^n adds one"),
    act: (action, item) => {
      const queue = followed.answer;
      const prompt = queue?.items.find(({ id }) => id === item?.id);
      if (action === "create") return add(stage, act);
      // Of the whole queue, which also pauses when a session is ended.
      if (action === "choose-beside" && queue?.paused === true)
        return act({ kind: "change", change: { paused: false } });
      if (prompt !== undefined) change(stage, action, prompt, act);
    },
  });
}

/** Prompts for which the daemon starts sessions. */
export function scheduleView(stage: Stage): ListView {
  const followed = follow(stage, (wish: ItemAct) => scheduleAct(stage.services, wish));
  return new ListView(stage, {
    title: "Scheduled prompts",
    closed: followed.stop,
    hint: "enter edit  ^r when  tab pause, go on  ^x remove",
    items: () => {
      const items = followed.answer ?? [];
      const rows = itemsOf({ items, paused: false });
      return rows.map((row, at) => {
        const { agent, cwd } = items[at]!;
        const place = oneLine(tildePath(cwd, stage.services.env.home, MAX_PLACE));
        // First: what does not fit is cut from the end.
        return { ...row, label: `${agent} in ${place}: ${row.label}`, words: cwd };
      });
    },
    empty: () =>
      followed.answer === undefined ? "loading …" : "none; amux queue --new AGENT PROMPT --when TIME adds one",
    act: (action, item) => {
      const prompt = followed.answer?.find(({ id }) => id === item?.id);
      if (prompt !== undefined) change(stage, action, prompt, followed.act);
    },
  });
}

interface Followed<Wish, Answer> {
  answer: Answer | undefined;
  act(wish: Wish): void;
  stop(): void;
}

function follow<Wish extends QueueAct, Answer>(
  stage: Stage,
  ask: (wish: Wish | { kind: "list" }) => Promise<Answer>,
): Followed<Wish | { kind: "list" }, Answer> {
  let acts = 0;
  const act = (wish: Wish | { kind: "list" }): void => {
    const turn = ++acts;
    const asked = async (): Promise<void> => {
      const answer = await ask(wish);
      if (turn === acts) followed.answer = answer;
      stage.board.refresh();
      stage.redraw();
    };
    stage.attempt(asked());
  };
  const timer = setInterval(() => {
    const turn = acts;
    ask({ kind: "list" }).then(
      (answer) => {
        // It may be from before the last act.
        if (turn !== acts) return;
        followed.answer = answer;
        stage.redraw();
      },
      (error: unknown) => {
        clearInterval(timer);
        stage.say(errorText(error), "bad");
      },
    );
  }, REFRESH_MS);
  const followed: Followed<Wish | { kind: "list" }, Answer> = {
    answer: undefined,
    act,
    stop: () => clearInterval(timer),
  };
  act({ kind: "list" });
  return followed;
}

function itemsOf({ items, paused }: Pick<PromptQueueAnswer, "items" | "paused">): ListItem[] {
  return items.map((item) => {
    const { icon, look } = statusLook(STATUS_OF[item.state]);
    return { id: item.id, label: oneLine(item.text), detail: detailOf(item, paused), icon: { text: icon, look } };
  });
}

function detailOf(prompt: QueuedPrompt, isPaused: boolean): string {
  const { state, paused, note } = prompt;
  const due = state === "queued" && (paused === true || isPaused) ? "paused" : dueText(prompt);
  const parts = state === "queued" ? [due, note] : state === "delivered" ? [`delivered ${due}`] : [state, note];
  return parts.filter((part) => part !== undefined).join(": ");
}

function add(stage: Stage, act: (wish: QueueAct) => void): void {
  const askWhen = (text: string): void => {
    if (text.trim() === "") return;
    const queueIt = (when: string): void => act({ kind: "add", request: { text, when: when.trim() || "idle" } });
    stage.push(new PromptView(stage, "When (idle, reset, 9:00, weekdays 9:00)", "idle", queueIt, { recent: WHENS }));
  };
  askText(stage, "Prompt", "", askWhen);
}

function change(stage: Stage, action: string, prompt: QueuedPrompt, act: (wish: ItemAct) => void): void {
  const { id: item, when, state, paused } = prompt;
  const isOpen = state === "queued" || state === "held";
  if (action === "delete") return act({ kind: "remove", item });
  if (!isOpen) return stage.say("Only a prompt that waits or is held can be changed.");
  if (action === "choose" && state === "held") return decide(stage, prompt, act);
  if (action === "choose") return edit(stage, prompt, act);
  if (action === "choose-beside") return act({ kind: "change", change: { item, paused: paused !== true } });
  if (action === "rename") {
    const save = (typed: string): void => {
      // Unchanged, it would be counted anew from now.
      if (typed.trim() !== when) act({ kind: "change", change: { item, when: typed } });
    };
    stage.push(new PromptView(stage, "When", when, save, { recent: WHENS }));
  }
}

/** Whether a held prompt arrived is unknown: only the user can say that it is to be sent again. */
function decide(stage: Stage, prompt: QueuedPrompt, act: (wish: ItemAct) => void): void {
  const { id: item, note } = prompt;
  const question = note ?? "It was not sent, or it is unknown whether it arrived.";
  stage.push(
    new ChoiceView(stage, oneLine(question), [
      { key: "a", does: "send again", run: () => act({ kind: "change", change: { item, again: true } }) },
      { key: "e", does: "edit", run: () => edit(stage, prompt, act) },
    ]),
  );
}

function edit(stage: Stage, { id: item, text }: QueuedPrompt, act: (wish: ItemAct) => void): void {
  const save = (typed: string): void => {
    if (typed.trim() !== "" && typed !== text) act({ kind: "change", change: { item, text: typed } });
  };
  askText(stage, "Prompt", text, save);
}
