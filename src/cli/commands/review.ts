import type { Command } from "../command.ts";
import { REVIEWED_SESSION, reviewOf } from "../review/review-access.ts";
import { reviewLines } from "../review/review-lines.ts";

const command: Command = {
  name: "review",
  description: "Shows the comments on what a session changed, with the code they are about.",
  arguments: [REVIEWED_SESSION],
  examples: [["amux review shop", "what was commented, and what became of it"]],
  async run({ arguments: [ref = ""], output }) {
    const review = await (await reviewOf(ref)).read();
    if (output.json) return output.writeJson(review);
    if (review.comments.length === 0) return output.note(`No comments. Add one with amux review add ${ref}.`);
    await output.page(reviewLines(review, output, true).map((line) => `${line}\n`));
  },
};

export default command;
