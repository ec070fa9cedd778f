import type { Command } from "../command.ts";
import { COMMENT_ARGUMENT, commentId } from "../review/comment-ids.ts";
import { REVIEWED_SESSION, reviewOf } from "../review/review-access.ts";

const command: Command = {
  name: "review remove",
  arguments: [REVIEWED_SESSION, { ...COMMENT_ARGUMENT, several: true }],
  examples: [["amux review remove shop 2", "delete comment 2"]],
  async run({ arguments: [ref = "", ...numbers], output }) {
    const review = await (await reviewOf(ref)).change({ remove: numbers.map(commentId) });
    if (output.json) await output.writeJson(review);
  },
};

export default command;
