/** Sends the comments: to the session itself, to another one, or to a new one. */
import type { ReviewComment, ReviewSend, ReviewSent } from "../../protocol/review.ts";
import type { SessionWork } from "../services.ts";
import type { Stage } from "../view.ts";
import { ListView } from "../views/list-view.ts";
import { ChoiceView, type Choice } from "../views/prompts.ts";

export function sendComments(
  stage: Stage,
  work: SessionWork,
  comments: readonly ReviewComment[],
  changed: () => void,
): void {
  const due = comments.filter(({ state }) => state === "draft").length;
  if (due === 0) return stage.say(comments.length === 0 ? "There are no comments." : "All comments were sent.");
  const send = (wish: ReviewSend): void => {
    stage.say("Sending …");
    const told = async (): Promise<void> => {
      const sent = await work.send(wish).finally(changed);
      stage.say(receiptText(sent, due), sent.receipt === "not_taken" ? "bad" : "good");
    };
    stage.attempt(told());
  };
  const choices: Choice[] = [
    ...(work.isRunning() ? [{ key: "y", does: "to this session", run: () => send({}) }] : []),
    { key: "o", does: "to another one", run: () => toAnother(stage, send) },
    { key: "a", does: "to a new agent", run: () => stage.attempt(toNew(stage, send)) },
  ];
  const count = due === 1 ? "1 comment" : `${due} comments`;
  const ended = work.isRunning() ? "" : " This session is not running; resume it, or choose another one.";
  stage.push(new ChoiceView(stage, `Send ${count} as one message?${ended}`, choices));
}

function toAnother(stage: Stage, send: (wish: ReviewSend) => void): void {
  const agents = stage.board.rows().filter(({ kind, agent }) => kind === "live" && agent !== "shell");
  stage.push(
    new ListView(stage, {
      title: "Send to",
      hint: "enter send  esc cancel",
      items: () => agents.map(({ key, name, agent }) => ({ id: key, label: name, detail: agent })),
      empty: () => "No other agent is running.",
      act: (action, item, _, view) => {
        if (action !== "choose" || item === undefined) return;
        view.close();
        send({ to: item.id });
      },
    }),
  );
}

async function toNew(stage: Stage, send: (wish: ReviewSend) => void): Promise<void> {
  const agents = (await stage.services.agents()).filter(({ commandWith }) => commandWith !== undefined);
  stage.push(
    new ListView(stage, {
      title: "Start with the comments",
      hint: "enter start  esc cancel",
      items: () => agents.map(({ name, displayName }) => ({ id: name, label: displayName, detail: name })),
      empty: () => "No installed agent takes a prompt.",
      act: (action, item, _, view) => {
        if (action !== "choose" || item === undefined) return;
        view.close();
        send({ new: item.id });
      },
    }),
  );
}

const RECEIPTS: Readonly<Record<ReviewSent["receipt"], string>> = {
  delivered: "delivered",
  queued: "queued: the agent takes them after its turn",
  not_taken: "not taken; look at the session",
  started: "given to a new session",
};

function receiptText({ receipt }: ReviewSent, count: number): string {
  return `${count === 1 ? "1 comment" : `${count} comments`} ${RECEIPTS[receipt]}.`;
}
