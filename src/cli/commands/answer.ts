import { answerSession } from "../answer-session.ts";
import { LIVE_SESSION_ARGUMENT } from "../choose-session.ts";
import { usageError, type Command } from "../command.ts";
import { answerRemote, isRemoteRef } from "../mux/remote.ts";
import type { Receipt } from "../../protocol/daemon-api.ts";
import { liveSessionNamed } from "../mux/session-named.ts";

const UNCONFIRMED = 1;

const command: Command = {
  name: "answer",
  summary: "Answer a session that waits for you",
  description:
    "Picks one of the options it shows, by number, by its words or by a part of them that only one has; allow and deny (yes, no) where it is clear which that is. amux attention lists the options. Several, where they can be picked, are divided by commas. Other words go to an option that takes a text, to a question without options, or, as the reason of a refusal, to an agent whose hook waits. What means none of the options is refused with exit code 2, and nothing is typed. An option is seen to be marked before Enter, and to be taken after it: exit code 1 when it was not.",
  arguments: [
    LIVE_SESSION_ARGUMENT,
    {
      name: "answer",
      description: "an option, allow, deny, or a text",
      completes: ["allow", "deny"],
      mayBeginWithDash: true,
    },
  ],
  examples: [
    ["amux answer shop allow", "let it do what it asks for"],
    ["amux answer shop 2", "the second option"],
    ["amux answer shop 'keep manual mode'", "the option with these words"],
    ["amux answer shop@box allow", "on another machine"],
    ["amux answer shop 'use make instead'", "do not, and say why"],
  ],
  async run({ arguments: [ref = "", answer = ""], output }) {
    if (answer === "") throw usageError("An answer is an option, allow, deny, or a text.");
    const { session, ...receipt } = isRemoteRef(ref) ? await answerRemote(ref, answer) : await answerHere(ref, answer);
    if (output.json) await output.writeJson({ session, answer, ...receipt });
    else output.note(told(receipt));
    return receipt.confirmed ? 0 : UNCONFIRMED;
  },
};

export default command;

function told({ via, receipt, confirmed, option, state }: Receipt): string {
  const what = option === undefined ? "" : `: ${option.replace(/\.$/, "")}`;
  if (!confirmed) return `Typed${what}, but the session was not seen to take it. It is ${state ?? "unknown"}.`;
  if (receipt === "queued") return "Queued: the agent takes it when its turn is over.";
  return via === "hook" ? "Answered through its hook." : `Answered${what}.`;
}

async function answerHere(ref: string, answer: string): Promise<Receipt & { session: string }> {
  const session = await liveSessionNamed(ref);
  return { session: session.ref, ...(await answerSession(session, answer)) };
}
