import { listReviews } from "../../changes/review/reviews.ts";
import type { Command } from "../command.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import { REVIEWED_SESSION, reviewOf } from "../review/review-access.ts";
import { reviewLines } from "../review/review-lines.ts";

const command: Command = {
  name: "review list",
  description:
    "Lists comments with their state: draft, sent, resolved, or without a receipt. Says whether their code moved, was changed since or is gone.",
  arguments: [{ ...REVIEWED_SESSION, optional: true }],
  options: [{ name: "all", description: "also resolved comments" }],
  examples: [
    ["amux review list", "every session's open comments"],
    ["amux review list shop --all", "all comments on one session"],
  ],
  async run(invocation) {
    const { arguments: given, output } = invocation;
    const [ref] = given;
    const reviews = ref === undefined ? listReviews(sessionDirectories().home) : [await (await reviewOf(ref)).read()];
    const isShown = ({ state }: { state: string }): boolean => invocation.flag("all") || state !== "resolved";
    const open = reviews.map((review) => ({ ...review, comments: review.comments.filter(isShown) }));
    if (output.json) return output.writeJson(open);
    const shown = open.filter(({ comments }) => comments.length > 0);
    if (shown.length === 0) return output.note("No open comments. Add one with amux review add.");
    await output.page(shown.flatMap((review) => reviewLines(review, output)).map((line) => `${line}\n`));
  },
};

export default command;
