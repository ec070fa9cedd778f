/**
 * Types messages and answers for a remote user. The runner checks its own screen and types without yielding, so that nothing
 * opens between the look and the key.
 */
import { AgentMuxError } from "../core/errors.ts";
import { oneLine, withoutControls } from "../lib/text/text.ts";
import type { Receipt } from "../protocol/daemon-api.ts";
import type { Answer, Message } from "../protocol/runner-api.ts";
import { answerAgent } from "../status/answer.ts";
import type { DeliveryPort } from "../status/delivery-port.ts";
import { sendMessage } from "../status/deliver.ts";
import type { Typed } from "../status/queue/prompt-queue.ts";
import { hasReceipt, transcriptMark } from "../status/queue/receipt.ts";
import type { OperatorKey } from "../status/terminal-operator.ts";
import type { QuestionState } from "../status/current-question.ts";
import type { Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";

/** DEC mode of bracketed paste. */
const BRACKETED_PASTE = 2004;

const KEYS: Readonly<Record<OperatorKey, string>> = {
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  enter: "\r",
  space: " ",
  tab: "\t",
  escape: "\u001b",
};

export class MessageDelivery {
  private readonly session: Session;
  private last: Promise<unknown> = Promise.resolve();

  constructor(session: Session) {
    this.session = session;
  }

  answer(answer: Answer): Promise<Receipt> {
    return this.inTurn(async () => {
      const { state } = this.session;
      const question = state.verdict;
      const receipt = await answerAgent(this.port(), answer);
      if (!receipt.confirmed || !state.answered(question)) return receipt;
      const { state: _, ...rest } = receipt;
      return rest;
    });
  }

  async message({ text, force = false }: Message): Promise<Receipt> {
    const receipt = await this.inTurn(() => this.typed(text, force));
    const state = this.session.state.verdict?.state;
    return {
      via: "typed",
      receipt,
      confirmed: receipt !== "not_taken",
      ...(state === undefined ? {} : { state }),
    };
  }

  /** A program that is slow to show the message may have written it down. */
  private async typed(text: string, force: boolean): Promise<Receipt["receipt"]> {
    const { state } = this.session;
    const mark = transcriptMark(state.transcript, Date.now());
    const receipt = await sendMessage(this.port(), text, force);
    return receipt === "not_taken" && hasReceipt(mark, state.transcript, text) ? "delivered" : receipt;
  }

  /** A prompt of the queue. The obstacle is looked for again when nobody else is typing. */
  queued(text: string, obstacle: () => string | undefined): Promise<Typed> {
    return this.inTurn(async () => {
      const reason = obstacle();
      if (reason !== undefined) return { refused: reason, typed: false };
      let typed = false;
      try {
        const port = this.port();
        const say: DeliveryPort["say"] = (words) => {
          typed = true;
          return port.say(words);
        };
        const taken = await sendMessage({ ...port, say }, text, false);
        return { taken: port.isAgent() ? taken : "typed" };
      } catch (error) {
        if (error instanceof AgentMuxError) return { refused: error.message, typed };
        throw error;
      }
    });
  }

  /** Two concurrent messages would be mixed. */
  private inTurn<Result>(speak: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(speak, speak);
    this.last = result.catch(() => undefined);
    return result;
  }

  private port(): DeliveryPort {
    const { session } = this;
    const terminal = session.main;
    if (terminal === undefined || terminal.exit !== undefined) {
      throw new AgentMuxError("INVALID_STATE_TRANSITION", "The program has ended.");
    }
    const signs = session.state.sights.signs;
    return {
      rows: () => terminal.shownRows(),
      ...(signs?.isStarting && { isStarting: () => signs.isStarting!(terminal.shownRows().map(({ text }) => text)) }),
      press: (key) => terminal.write(terminal.asKeys(Buffer.from(KEYS[key]))),
      say: (text) => terminal.write(Buffer.from(wordsFor(text, terminal))),
      ...(session.state.sights.dialogsIgnorePastes && {
        fill: (text: string) => terminal.write(Buffer.from(oneLine(withoutControls(text)))),
      }),
      standing: () => (terminal.exit === undefined ? standingOf(session) : null),
      decide: (behavior, message, ask) =>
        session.state.decide({ behavior, ...(message === undefined ? {} : { message }) }, ask),
      isOver: () => terminal.exit !== undefined,
      isAgent: () => session.state.hasAgent,
      asked: (choice) => session.state.verdictWith(choice)?.asked,
    };
  }
}

function standingOf({ state: { verdict } }: Session): QuestionState | undefined {
  if (verdict === undefined) return undefined;
  const { state, ask, message, since, held, options } = verdict;
  return {
    state,
    ...(ask === undefined ? {} : { ask }),
    ...(message === undefined ? {} : { message }),
    ...(held === true ? { held } : {}),
    // A waiting hook's options differ from those on the screen.
    ...(options === undefined || held === true ? {} : { options: options.map(({ label }) => label) }),
    since: Date.parse(since),
  };
}

/** Plain text only, since keys have their own names. As a paste it cannot end itself or act as a command. */
function wordsFor(text: string, terminal: Terminal): string {
  const words = withoutControls(text.replaceAll(/\r\n?/g, "\n"));
  return words !== "" && terminal.isOn(BRACKETED_PASTE) ? `\u001b[200~${words}\u001b[201~` : words;
}
