import { usageError, type Command } from "../command.ts";
import { COMMENT_ARGUMENT, commentId } from "../review/comment-ids.ts";
import { REVIEWED_SESSION, reviewOf } from "../review/review-access.ts";

const command: Command = {
  name: "review edit",
  description: "Replaces the text of a comment that was not sent yet.",
  arguments: [
    REVIEWED_SESSION,
    COMMENT_ARGUMENT,
    { name: "text", description: "the new comment", mayBeginWithDash: true },
  ],
  examples: [["amux review edit shop 2 'Check the currency and the amount.'", "reword comment 2"]],
  async run({ arguments: [ref = "", number = "", text = ""], output }) {
    if (text.trim() === "") throw usageError("The comment is empty. To delete it, use amux review remove.");
    const id = commentId(number);
    const { comments } = await (await reviewOf(ref)).change({ edit: { id, text } });
    if (output.json) await output.writeJson(comments.find((comment) => comment.id === id));
  },
};

export default command;
