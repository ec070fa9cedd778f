import type { Command } from "../command.ts";
import { COMMENT_ARGUMENT, commentId } from "../review/comment-ids.ts";
import { REVIEWED_SESSION, reviewOf } from "../review/review-access.ts";

const command: Command = {
  name: "review resolve",
  description: "Marks comments as resolved: they are not sent, and listed only with --all.",
  arguments: [REVIEWED_SESSION, { ...COMMENT_ARGUMENT, several: true }],
  options: [{ name: "reopen", description: "undo it" }],
  examples: [
    ["amux review resolve shop 1 3", "two comments are done"],
    ["amux review resolve shop 3 --reopen", "one is not after all"],
  ],
  async run(invocation) {
    const [ref = "", ...numbers] = invocation.arguments;
    const ids = numbers.map(commentId);
    const review = await (await reviewOf(ref)).change(invocation.flag("reopen") ? { reopen: ids } : { resolve: ids });
    if (invocation.output.json) await invocation.output.writeJson(review);
  },
};

export default command;
