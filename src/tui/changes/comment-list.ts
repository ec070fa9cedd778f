/** All comments on a session's changes: go to one, resolve or remove it. */
import type { ReviewChange, ReviewComment } from "../../protocol/review.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { SessionWork } from "../services.ts";
import type { Stage } from "../view.ts";
import { askText } from "../views/prompts.ts";
import { ListView, type ListItem } from "../views/list-view.ts";

export interface CommentListOptions {
  comments(): readonly ReviewComment[];
  /** They were changed. */
  changed(): void;
  /** Goes to it in the changes. */
  show(comment: ReviewComment): void;
}

export function commentList(
  stage: Stage,
  work: SessionWork,
  { comments, changed, show }: CommentListOptions,
): ListView {
  const change = async (wish: ReviewChange): Promise<void> => {
    await work.comment(wish);
    changed();
  };
  return new ListView(stage, {
    title: "Comments",
    hint: "enter go to it  ^r edit  tab resolve, reopen  ^x remove  esc close",
    items: () => comments().map(itemOf),
    empty: () => "No comments. Select lines in the changes, then c writes one.",
    act: (action, item, _, view) => {
      const comment = comments().find(({ id }) => String(id) === item?.id);
      if (comment === undefined) return;
      const { id, state, text } = comment;
      if (action === "choose") {
        view.close();
        show(comment);
      } else if (action === "choose-beside")
        stage.attempt(change(state === "resolved" ? { reopen: [id] } : { resolve: [id] }));
      else if (action === "rename" && state !== "draft") stage.say("Only a comment that was not sent can be edited.");
      else if (action === "rename") {
        const save = (typed: string): void => {
          if (typed.trim() !== "") stage.attempt(change({ edit: { id, text: typed } }));
        };
        askText(stage, `Comment #${id}`, text, save);
      } else if (action === "delete") stage.attempt(change({ remove: [id] }));
    },
  });
}

const PLACES: Readonly<Partial<Record<ReviewComment["place"], string>>> = {
  changed: ", changed since",
  gone: ", gone",
  unread: ", cannot be read",
};

function itemOf({ id, file, line, end_line: end, text, state, place, delivery }: ReviewComment): ListItem {
  const lines = line === end ? String(line) : `${line}-${end}`;
  const receipt = delivery?.receipt === undefined ? "" : ` (${delivery.receipt.replace("_", " ")})`;
  return {
    id: String(id),
    label: `#${id} ${oneLine(file)}:${lines}  ${oneLine(text)}`,
    detail: `${state}${receipt}${PLACES[place] ?? ""}`,
  };
}
