import { visibleControls } from "../../core/visible-text.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { NewComment } from "../../protocol/review.ts";
import { usageError, type Command } from "../command.ts";
import { REVIEWED_SESSION, reviewOf } from "../review/review-access.ts";

const command: Command = {
  name: "review add",
  description:
    "Comments on lines of what a session changed. Comments are collected until amux review send. They stay with their code when it moves, and say so when it was changed or is gone.",
  arguments: [
    REVIEWED_SESSION,
    { name: "place", description: "file:line or file:line-line; the file from here, or from the repository's root" },
    { name: "comment", description: "what to tell the agent", mayBeginWithDash: true },
  ],
  examples: [
    ["amux review add shop src/pay.ts:42 'Check the currency first.'", "comment on a line"],
    ["amux review add claude:5cbe954d src/pay.ts:42-50 'Too long, split it.'", "on several, of a past session"],
  ],
  async run({ arguments: [ref = "", place = "", text = ""], output }) {
    const [, file, first, last = first] = /^(.+):(\d{1,8})(?:-(\d{1,8}))?$/s.exec(place) ?? [];
    if (file === undefined) throw usageError(`A place is file:line or file:line-line, not "${place}".`);
    if (text.trim() === "") throw usageError("The comment is empty.");
    const add: NewComment = { file, line: Number(first), end_line: Number(last), text };
    if (add.line < 1) throw usageError("Lines are counted from 1.");
    const { comments } = await (await reviewOf(ref)).change({ add });
    const comment = comments.at(-1)!;
    if (output.json) return output.writeJson(comment);
    const where = `${oneLine(visibleControls(comment.file))}:${comment.line}`;
    output.note(`Kept as comment ${comment.id} on ${where}. Send with amux review send ${ref}.`);
  },
};

export default command;
