import { answerSession } from "../answer-session.ts";
import { LIVE_SESSION_ARGUMENT } from "../choose-session.ts";
import { usageError, type Command } from "../command.ts";
import { answerRemote, isRemoteRef } from "../mux/remote.ts";
import type { Receipt } from "../../status/answer.ts";
import { liveSessionNamed } from "../mux/session-named.ts";

const UNCONFIRMED = 1;

const command: Command = {
  name: "answer",
  summary: "Answer a session that waits for you",
  description:
    "allow and deny decide about the permission it asks for; anything else is said to the agent: as the reason of a refusal, as the answer to its question, or as its next prompt. Where the agent's hook waits, the answer goes through the hook, else it is typed. Exit code: 0 when the session was seen to go on, 1 when not.",
  arguments: [
    LIVE_SESSION_ARGUMENT,
    { name: "answer", description: "allow, deny, or a text", completes: ["allow", "deny"], mayBeginWithDash: true },
  ],
  examples: [
    ["amux answer shop allow", "let it do what it asks for"],
    ["amux answer shop deny", "do not"],
    ["amux answer shop@box allow", "on another machine"],
    ["amux answer shop 'use make instead'", "do not, and say why"],
  ],
  async run({ arguments: [ref = "", answer = ""], output }) {
    if (answer === "") throw usageError("An answer is allow, deny, or a text.");
    const { session, ...receipt } = isRemoteRef(ref) ? await answerRemote(ref, answer) : await answerHere(ref, answer);
    if (output.json) await output.writeJson({ session, answer, ...receipt });
    else if (receipt.confirmed) output.note(`Answered ${receipt.via === "hook" ? "through its hook" : "by typing"}.`);
    else output.note(`Typed, but the session was not seen to go on. It is ${receipt.state ?? "unknown"}.`);
    return receipt.confirmed ? 0 : UNCONFIRMED;
  },
};

export default command;

async function answerHere(ref: string, answer: string): Promise<Receipt & { session: string }> {
  const session = await liveSessionNamed(ref);
  return { session: session.ref, ...(await answerSession(session, answer)) };
}
