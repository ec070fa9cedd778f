/**
 * Answering an agent without attaching to it: through its hook where one waits, else by typing, and then looking whether
 * it was taken. Nothing is typed into a dialog that is not the one that was meant.
 */
import { AgentMuxError } from "../core/errors.ts";
import { isUrgent, SIGN_IN_ASK, type State } from "../core/state.ts";
import { optional } from "../lib/optional.ts";

/** What is asked at a moment; a question is another one when its name or its time is. */
export interface Standing {
  state: State;
  ask?: string;
  /** Milliseconds since the epoch. */
  since: number;
}

/** A session as somebody who answers needs it. */
export interface AnswerPort {
  /** Undefined when nothing is known of what it is doing. */
  standing(): Promise<Standing | undefined>;
  /** Hands a decision to whoever asked, and tells how. Undefined when nobody waits for it. */
  decide?(
    behavior: "allow" | "deny",
    message: string | undefined,
    ask: string | undefined,
  ): Promise<Receipt["via"] | undefined>;
  type(text: string): Promise<void>;
}

export interface AnswerKeys {
  allow: string;
  deny: string;
}

export interface Receipt {
  via: "hook" | "typed";
  /** Whether the session was seen to go on. */
  confirmed: boolean;
  /** What it is doing now, where that is known. */
  state?: State;
}

/** Agents take a text and an Enter that come together for a paste, and wait for more. */
const BEFORE_ENTER_MS = 400;

const LOOK_EVERY_MS = 100;

/**
 * An agent goes on within a second, and a hook that tells so may need another; but some start themselves anew after their
 * first question. Less than who asks the daemon waits for its answer.
 */
const CONFIRM_WITHIN_MS = 8000;

/** `allow` and `deny` decide about a permission; anything else is what the agent is told. */
export async function answerAgent(port: AnswerPort, answer: string, keys: AnswerKeys | undefined): Promise<Receipt> {
  const before = await port.standing();
  if (before?.ask === SIGN_IN_ASK) {
    throw new AgentMuxError(
      "CAPABILITY_ERROR",
      "The session waits for somebody to sign in, which is done at its terminal. Attach to it.",
    );
  }
  const behavior = answer === "allow" || answer === "deny" ? answer : undefined;
  if (behavior !== undefined && before?.state !== "permission") {
    const state = before === undefined ? "" : ` It is ${before.state}.`;
    throw new AgentMuxError("NO_PENDING_INTERACTION", `The session asks for no permission.${state}`);
  }
  if (behavior === undefined && before?.state === "working") {
    throw new AgentMuxError(
      "NO_PENDING_INTERACTION",
      "The session is at work and asks nothing. amux send types into it all the same.",
    );
  }
  if (before?.state === "permission") {
    // Words in place of a decision are a refusal that says what to do instead.
    const message = behavior === undefined ? answer : undefined;
    const via = await port.decide?.(behavior ?? "deny", message, before.ask);
    if (via !== undefined) return receipt(port, via, before);
    if (keys === undefined) {
      throw new AgentMuxError(
        "CAPABILITY_ERROR",
        "How this program is told so is not known. Attach to the session, or use amux send.",
      );
    }
    if (behavior === undefined) {
      throw new AgentMuxError(
        "VALIDATION_ERROR",
        "The session shows a choice, into which words cannot be typed. Answer allow or deny.",
      );
    }
    await port.type(keys[behavior]);
    return receipt(port, "typed", before);
  }
  await port.type(answer.includes("\n") ? pasted(answer) : answer);
  await pause(BEFORE_ENTER_MS);
  await port.type("\r");
  return receipt(port, "typed", before);
}

/** A paste must not be able to end itself. */
function pasted(text: string): string {
  return `\u001b[200~${text.replaceAll("\u001b", "")}\u001b[201~`;
}

async function receipt(port: AnswerPort, via: Receipt["via"], before: Standing | undefined): Promise<Receipt> {
  const deadline = performance.now() + CONFIRM_WITHIN_MS;
  for (;;) {
    const now = await standingOf(port);
    // A refusal may be the end of the program.
    if (now === "gone") return { via, confirmed: true, state: "stopped" };
    const confirmed = hasGoneOn(before, now);
    if (confirmed || performance.now() > deadline) return { via, confirmed, ...optional("state", now?.state) };
    await pause(LOOK_EVERY_MS);
  }
}

async function standingOf(port: AnswerPort): Promise<Standing | "gone" | undefined> {
  try {
    return await port.standing();
  } catch (error) {
    if (!(error instanceof AgentMuxError) || error.code !== "SESSION_NOT_FOUND") throw error;
    return "gone";
  }
}

function hasGoneOn(before: Standing | undefined, now: Standing | undefined): boolean {
  if (now === undefined) return false;
  if (before === undefined || !isUrgent(before.state)) return now.state === "working" || now.since !== before?.since;
  return now.state !== before.state || now.ask !== before.ask || now.since !== before.since;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
