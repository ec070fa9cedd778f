/** Copies of conversations for forks. The history process creates them; an agent without files imports them. */
import { loadForkCopy, type ForkCopy } from "../../agents/fork-copy.ts";
import type { SessionReference } from "../../core/diff.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { optional } from "../../lib/values/optional.ts";
import type { HistoryRequest } from "../files/history-request.ts";
import { Problem } from "../problem.ts";
import type { LoginEnvironment } from "./login-environment.ts";

export class ForkCopies {
  readonly #scratch: string;
  readonly #read: (request: HistoryRequest) => AsyncIterable<string>;
  readonly #login: Pick<LoginEnvironment, "get">;

  constructor(
    scratch: string,
    read: (request: HistoryRequest) => AsyncIterable<string>,
    login: Pick<LoginEnvironment, "get">,
  ) {
    this.#scratch = scratch;
    this.#read = read;
    this.#login = login;
  }

  /** A copy up to the message, or of everything; ready to be opened in that directory. */
  async make(session: SessionReference, cwd: string, message: number | undefined): Promise<ForkCopy> {
    try {
      let answer = "";
      const request = { kind: "fork", session, scratch: this.#scratch, ...optional("message", message) } as const;
      for await (const piece of this.#read(request)) answer += piece;
      return await loadForkCopy(JSON.parse(answer) as ForkCopy, cwd, await this.#login.get());
    } catch (error) {
      if (!(error instanceof AgentMuxError) || error.code !== "CAPABILITY_ERROR") throw error;
      throw new Problem("not_resumable", error.message, error);
    }
  }
}
