/**
 * Answers an agent without attaching: through its waiting hook, otherwise on its screen. Enter is never pressed on an unread
 * choice; an answer that matches no option is refused.
 */
import { AgentMuxError } from "../core/errors.ts";
import { isUrgent, SIGN_IN_ASK } from "../core/state.ts";
import { optional } from "../lib/values/optional.ts";
import type { Receipt } from "../protocol/daemon-api.ts";
import type { Answer } from "../protocol/runner-api.ts";
import type { Choice } from "./shown-choice.ts";
import { isConsent, matchAnswer, NO, optionsText, YES } from "./choice-match.ts";
import { choose, shownChoice } from "./choose.ts";
import { deliver } from "./deliver.ts";
import { lookFor } from "./terminal-operator.ts";
import type { DeliveryPort } from "./delivery-port.ts";
import { hasGoneOn, type QuestionState } from "./current-question.ts";

/** A dialog may be drawn only after its hook has reported it. */
const DRAWN_WITHIN_MS = 5000;
/** A hook that waits takes the decision also without it. */
const HELD_DRAWN_WITHIN_MS = 1500;

/** An agent continues within a second, and its hook may need another. Some restart themselves after a choice. */
const CONFIRM_WITHIN_MS = 8000;
/** The answer was accepted; this only waits for the new state. */
const TELLS_WITHIN_MS = 2000;

/** The words that decide a permission. */
function decisionOf(answer: string): "allow" | "deny" | undefined {
  const word = answer.trim().toLowerCase();
  return YES.has(word) ? "allow" : NO.has(word) ? "deny" : undefined;
}

/** `allow` and `deny` decide a permission; otherwise it is an option, or text for the agent. */
export async function answerAgent(port: DeliveryPort, { answer, asked }: Answer): Promise<Receipt> {
  if (answer.trim() === "") {
    throw new AgentMuxError("VALIDATION_ERROR", "The answer is empty. Nothing was typed.");
  }
  const before = (await port.standing()) ?? undefined;
  if (before?.ask === SIGN_IN_ASK) {
    throw new AgentMuxError(
      "CAPABILITY_ERROR",
      "The session waits for a sign-in, which only works in its terminal. Attach to it.",
    );
  }
  if (before?.state === "working") throw nothingAsked(before);
  const behavior = decisionOf(answer);
  const choice = await choiceOf(port, before);
  if (asked !== undefined) refuseOther(port, before, choice, asked);
  const viaHook = before?.state === "permission" && (await decideByHook(port, before, answer, behavior, choice));
  if (viaHook === true) return { via: "hook", ...(await receipt(port, before)) };
  if (choice !== undefined) {
    const { isTaken, option } = await choose({ ...port, hasGoneOn: () => isAnswered(port, before) }, choice, answer);
    if (!isTaken) return { via: "typed", option, ...notTaken(await port.standing()) };
    return { via: "typed", option, ...(await receipt(port, before, isTaken)) };
  }
  if (before?.state === "permission" || (before?.options?.length ?? 0) > 0) throw unreadable();
  if (before?.state !== "waiting") throw nothingAsked(before);
  const delivery = await deliver(port, answer);
  if (delivery === "not_taken") return { via: "typed", ...notTaken(await port.standing()) };
  return { via: "typed", ...(await receipt(port, before, true)), receipt: delivery };
}

/** The answer was for another question than the current one. */
function refuseOther(
  port: DeliveryPort,
  now: QuestionState | undefined,
  choice: Choice | undefined,
  asked: string,
): void {
  const current = port.asked === undefined ? asked : port.asked(choice);
  // A permission is reported before its options are read, and then has an id without them.
  if (current === asked || (now?.state === "permission" && port.asked?.(undefined) === asked)) return;
  const question = current === undefined ? undefined : (choice?.question ?? now?.message);
  const what = question === undefined ? "nothing any more" : `something else now: ${question}`;
  const options = question === undefined || choice === undefined ? "" : ` Options: ${optionsText(choice)}.`;
  throw new AgentMuxError(
    "INVALID_STATE_TRANSITION",
    `The session asks ${what}${/[.?!:]$/.test(what) ? "" : "."}${options} Nothing was typed.`,
  );
}

/** The choice on the screen; waits for one that a hook announced. */
async function choiceOf(port: DeliveryPort, before: QuestionState | undefined): Promise<Choice | undefined> {
  const isAnnounced = before?.state === "permission" || before?.state === "waiting";
  const patience = before?.held === true ? HELD_DRAWN_WITHIN_MS : DRAWN_WITHIN_MS;
  return lookFor(() => shownChoice(port), isAnnounced && port.isAgent() ? patience : 0);
}

/** The question is over, even if a dialog that looks the same is visible by now. */
async function isAnswered(port: DeliveryPort, before: QuestionState | undefined): Promise<boolean> {
  const now = await port.standing();
  return now === null || (before !== undefined && isUrgent(before.state) && hasGoneOn(before, now));
}

/** A number or label selects that option; other text is a reason for denial. */
async function decideByHook(
  port: DeliveryPort,
  { ask, held }: QuestionState,
  answer: string,
  behavior: "allow" | "deny" | undefined,
  choice: Choice | undefined,
): Promise<boolean> {
  if (port.decide === undefined) return false;
  if (behavior !== undefined) return port.decide(behavior, undefined, ask);
  if (choice !== undefined && matchAnswer(choice, answer)?.kind === "options") return false;
  if (held === true && isConsent(answer)) {
    throw new AgentMuxError(
      "VALIDATION_ERROR",
      `"${answer}" reads like a yes, but would deny with these words as the reason. Nothing was decided. Answer with allow or deny.`,
    );
  }
  if (!/^\d+$/.test(answer.trim())) return port.decide("deny", answer, ask);
  if (choice !== undefined) return false;
  throw new AgentMuxError(
    "VALIDATION_ERROR",
    `"${answer}" is not an option: none can be read from the session's screen. Nothing was typed. Answer with allow or deny.`,
  );
}

/** Text would go into the input line, or get lost where there is none yet. */
function nothingAsked(now: QuestionState | undefined): AgentMuxError {
  return new AgentMuxError(
    "NO_PENDING_INTERACTION",
    `The session asks nothing; its state is ${now?.state ?? "unknown"}. Nothing was typed. Use amux send to send it a message.`,
  );
}

function unreadable(): AgentMuxError {
  return new AgentMuxError(
    "CAPABILITY_ERROR",
    "The session asks something, but its options cannot be read from its screen. Nothing was typed. Attach to the session, or use amux send --key.",
  );
}

function notTaken(now: QuestionState | undefined | null): Pick<Receipt, "receipt" | "confirmed" | "state"> {
  return { receipt: "not_taken", confirmed: false, ...optional("state", now?.state) };
}

/** An answer seen to be accepted counts, whatever is reported meanwhile. */
async function receipt(
  port: DeliveryPort,
  before: QuestionState | undefined,
  isTaken = false,
): Promise<Pick<Receipt, "receipt" | "confirmed" | "state">> {
  const seen = await lookFor(
    async () => {
      const now = await port.standing();
      // A denial may end the program.
      if (now === null) return "stopped" as const;
      return hasGoneOn(before, now) || (isTaken && !port.isAgent()) ? (now?.state ?? "unknown") : undefined;
    },
    isTaken ? TELLS_WITHIN_MS : CONFIRM_WITHIN_MS,
  );
  const state = seen ?? (await port.standing())?.state;
  const confirmed = seen !== undefined || isTaken;
  return {
    receipt: confirmed ? "delivered" : "not_taken",
    confirmed,
    ...(state === undefined || state === "unknown" ? {} : { state }),
  };
}
