/** Sends messages and answers to sessions. */
import { answerSession, sendMessage, type DeliveryOptions } from "../../client/send-to-session.ts";
import type { Receipt } from "../../protocol/daemon-api.ts";
import type { Answer } from "../../protocol/runner-api.ts";
import { sessionFiles, type SessionDirectories } from "../../protocol/session-files.ts";
import { Problem } from "../problem.ts";
import type { RunnerCalls } from "./runner-calls.ts";

export class Answers {
  readonly #places: SessionDirectories;
  readonly #runners: RunnerCalls;

  constructor(places: SessionDirectories, runners: RunnerCalls) {
    this.#places = places;
    this.#runners = runners;
  }

  answer(id: string, answer: Answer): Promise<Receipt> {
    return answerSession(this.#socketOf(id), answer);
  }

  message(id: string, text: string, words: DeliveryOptions): Promise<Receipt> {
    const { incarnation } = this.#runners.recordOf(id);
    return sendMessage(this.#socketOf(id), text, { ...(incarnation === undefined ? {} : { incarnation }), ...words });
  }

  #socketOf(id: string): string {
    if (!this.#runners.recordOf(id).alive) throw new Problem("not_running", "The session is not running.");
    return sessionFiles(this.#places, id).socket;
  }
}
