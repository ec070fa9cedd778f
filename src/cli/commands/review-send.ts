import { optional } from "../../lib/values/optional.ts";
import type { ReviewSend, ReviewSent } from "../../protocol/review.ts";
import type { Command, Invocation } from "../command.ts";
import { counted } from "../format/figures.ts";
import type { Output } from "../output.ts";
import { commentId } from "../review/comment-ids.ts";
import { REVIEWED_SESSION, reviewOf } from "../review/review-access.ts";

const NOT_TAKEN = 1;

const command: Command = {
  name: "review send",
  description:
    "Sends all comments that were not sent yet as one message with file, lines, code and comment. The receipt is that of amux send. A comment is sent at most once: if it is not known whether it arrived, it is kept and told.",
  arguments: [REVIEWED_SESSION],
  options: [
    { name: "to", value: "session", description: "to another running session" },
    { name: "new", value: "agent", description: "start this agent with them as its prompt" },
    { name: "comment", value: "number", description: "only this comment", repeatable: true },
    { name: "again", description: "also those without a receipt" },
    { name: "force", description: "type even while the session asks a question; Enter may answer it" },
  ],
  examples: [
    ["amux review send shop", "to the session itself"],
    ["amux review send claude:5cbe954d --to reviewer", "comments on a past session, to another"],
    ["amux review send shop --new codex", "let another agent do it"],
  ],
  async run(invocation) {
    const [ref = ""] = invocation.arguments;
    const sent = await (await reviewOf(ref)).send(wishOf(invocation));
    if (invocation.output.json) await invocation.output.writeJson(sent);
    else tell(sent, invocation.output);
    return sent.receipt === "not_taken" ? NOT_TAKEN : 0;
  },
};

export default command;

function wishOf(invocation: Invocation): ReviewSend {
  const comments = invocation.texts("comment").map(commentId);
  return {
    ...optional("to", invocation.text("to")),
    ...optional("new", invocation.text("new")),
    ...(comments.length > 0 ? { comments } : {}),
    ...(invocation.flag("again") ? { again: true } : {}),
    ...(invocation.flag("force") ? { force: true } : {}),
  };
}

function tell({ session, receipt, comments }: ReviewSent, output: Output): void {
  const what = counted(comments.length, "comment", "comments");
  const how = {
    delivered: `Sent ${what} to ${session}.`,
    queued: `Sent ${what} to ${session}. The agent reads ${comments.length === 1 ? "it" : "them"} when its turn ends.`,
    not_taken: `Typed ${what} into ${session}, but it did not visibly accept them. See amux capture ${session}.`,
    started: `Started ${session} with ${what}.`,
  };
  output.note(how[receipt]);
}
