/** Answers a session that waits for its user. */
import type { AgentRegistry } from "../../agents/registry.ts";
import { askRunner } from "../../client/runner-http.ts";
import { RunnerPort } from "../../client/runner-port.ts";
import { sessionFiles, type SessionPlaces } from "../../protocol/session-files.ts";
import { answerAgent, type AnswerKeys, type Receipt } from "../../status/answer.ts";
import { Problem } from "../problem.ts";
import type { RunnerCalls } from "./runner-calls.ts";

export class Answers {
  readonly #places: SessionPlaces;
  readonly #runners: RunnerCalls;
  readonly #registry: AgentRegistry;

  constructor(places: SessionPlaces, runners: RunnerCalls, registry: AgentRegistry) {
    this.#places = places;
    this.#runners = runners;
    this.#registry = registry;
  }

  async answer(id: string, answer: string): Promise<Receipt> {
    const { alive, kind } = this.#runners.recordOf(id);
    if (!alive) throw new Problem("not_running", "The session is not running.");
    const { socket } = sessionFiles(this.#places, id);
    // Somebody may have started another agent in it by hand.
    const agent = (await this.#runners.meta(id).catch(() => undefined))?.agent ?? kind;
    return answerAgent(new RunnerPort((request) => askRunner(socket, request)), answer, await this.#keysOf(agent));
  }

  async #keysOf(kind: string): Promise<AnswerKeys | undefined> {
    return this.#registry.has(kind) ? (await this.#registry.get(kind)).hooks?.answerKeys : undefined;
  }
}
