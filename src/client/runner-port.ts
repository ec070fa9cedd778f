/** A session of amux as somebody who answers it needs it. Whatever is said goes to the process that was looked at first. */
import { randomUUID } from "node:crypto";
import { AgentMuxError } from "../core/errors.ts";
import type { State } from "../core/state.ts";
import { parseObject } from "../lib/json.ts";
import { SessionMeta } from "../protocol/runner-api.ts";
import { INCARNATION_HEADER, INPUT_ID_HEADER } from "../protocol/runner-headers.ts";
import type { RunnerAnswer, RunnerRequest } from "./runner-http.ts";

const NOBODY_WAITS = 409;

export class RunnerPort {
  private readonly ask: (request: RunnerRequest) => Promise<RunnerAnswer>;
  private incarnation: string | undefined;

  constructor(ask: (request: RunnerRequest) => Promise<RunnerAnswer>) {
    this.ask = ask;
  }

  async standing(): Promise<{ state: State; ask?: string; since: number } | undefined> {
    const { body } = await this.ask({ method: "GET", path: "/meta" });
    const { state, incarnation } = SessionMeta.parse(JSON.parse(body.toString("utf8")));
    this.incarnation ??= incarnation;
    if (state === undefined || incarnation !== this.incarnation) return undefined;
    const { ask } = state;
    return { state: state.state, since: Date.parse(state.since), ...(ask === undefined ? {} : { ask }) };
  }

  /** How it was decided; undefined when nothing waits for that. */
  async decide(
    behavior: "allow" | "deny",
    message: string | undefined,
    ask: string | undefined,
  ): Promise<"hook" | "typed" | undefined> {
    const request = JSON.stringify({ behavior, message, ask });
    const { status, body } = await this.send({ method: "POST", path: "/answer", body: request });
    if (status === NOBODY_WAITS) return undefined;
    return parseObject(body.toString("utf8"))?.["via"] === "typed" ? "typed" : "hook";
  }

  async type(text: string): Promise<void> {
    const headers = { [INPUT_ID_HEADER]: randomUUID() };
    const { status, body } = await this.send({ method: "POST", path: "/input", body: text, headers });
    if (status >= 400) throw refused(body);
  }

  private async send(request: RunnerRequest): Promise<RunnerAnswer> {
    const guard = this.incarnation === undefined ? {} : { [INCARNATION_HEADER]: this.incarnation };
    const answer = await this.ask({ ...request, headers: { ...guard, ...request.headers } });
    if (answer.status >= 400 && answer.status !== NOBODY_WAITS) throw refused(answer.body);
    if (answer.body.includes("incarnation_mismatch")) throw refused(answer.body);
    return answer;
  }
}

function refused(body: Buffer): AgentMuxError {
  return new AgentMuxError("INVALID_STATE_TRANSITION", `The session did not take it: ${body.toString("utf8").trim()}`);
}
