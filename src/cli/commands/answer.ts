import { answerSession } from "../answer-session.ts";
import { LIVE_SESSION_ARGUMENT } from "../choose-session.ts";
import { usageError, type Command } from "../command.ts";
import { answerRemote, isRemoteRef } from "../mux/remote.ts";
import type { Receipt } from "../../protocol/daemon-api.ts";
import { liveSessionNamed } from "../mux/session-named.ts";

const UNCONFIRMED = 1;

const command: Command = {
  name: "answer",
  description:
    "Picks one of the options shown by amux attention: by number, by label or by a unique part of the label. allow and deny (yes, no) work where one option clearly means that. Separate several with commas.\nOther text goes to an option that takes text, to a question without options, or to a waiting hook as the reason of a denial, unless it reads like a yes. Anything else is refused with exit code 2, and nothing is typed. Exit code 1: the option was not accepted, or nothing is asked.",
  arguments: [
    LIVE_SESSION_ARGUMENT,
    {
      name: "answer",
      description: "an option, allow, deny, or a text",
      completes: ["allow", "deny"],
      mayBeginWithDash: true,
    },
  ],
  options: [
    {
      name: "asked",
      value: "question",
      description: "only this question, with its id from amux attention --json; refused if it now asks another",
    },
  ],
  examples: [
    ["amux answer shop allow", "allow the requested action"],
    ["amux answer shop 2", "the second option"],
    ["amux answer shop 'keep manual mode'", "the option with this text"],
    ["amux answer shop@box allow", "on another machine"],
    ["amux answer shop 'use make instead'", "deny, with a reason"],
  ],
  async run(invocation) {
    const {
      arguments: [ref = "", answer = ""],
      output,
    } = invocation;
    if (answer === "") throw usageError("An answer is an option, allow, deny, or a text.");
    const asked = invocation.text("asked");
    const answerIt = isRemoteRef(ref) ? answerRemote : answerHere;
    const { session, ...receipt } = await answerIt(ref, answer, asked);
    if (output.json) await output.writeJson({ session, answer, ...receipt });
    else output.note(told(receipt));
    return receipt.confirmed ? 0 : UNCONFIRMED;
  },
};

export default command;

function told({ via, receipt, confirmed, option, state }: Receipt): string {
  const what = option === undefined ? "" : `: ${option.replace(/\.$/, "")}`;
  if (!confirmed) return `Typed${what}, but the session did not visibly accept it. It is ${state ?? "unknown"}.`;
  if (receipt === "queued") return "Queued: the agent reads it when its turn ends.";
  return via === "hook" ? "Answered through its hook." : `Answered${what}.`;
}

async function answerHere(
  ref: string,
  answer: string,
  asked: string | undefined,
): Promise<Receipt & { session: string }> {
  const session = await liveSessionNamed(ref);
  return { session: session.ref, ...(await answerSession(session, answer, asked)) };
}
