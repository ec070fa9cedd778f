/** What a caller holds of a run: its events, its end, and the ways to act on it. */
import type { AgentEvent, AgentEventOf, AgentEventType } from "../core/agent-event.ts";
import type { RunResult, RunState } from "../core/run-result.ts";
import type { InteractionChannel } from "./interactions.ts";

/** When a queued prompt is handed over. */
export type QueueMoment = "next-turn" | "after-tool" | "after-response";

/**
 * Each iteration sees every event from the first one on. A slow reader slows the agent down, a reader that stops reading
 * without ending its iteration stops it. Awaiting the handle gives the result, which never rejects.
 */
export interface RunHandle extends AsyncIterable<AgentEvent>, PromiseLike<RunResult> {
  readonly runId: string;
  readonly agent: string;
  readonly model: string | undefined;
  readonly sessionId: string | undefined;
  readonly state: RunState;
  readonly interaction: InteractionChannel;
  on<Type extends AgentEventType>(type: Type, handler: (event: AgentEventOf<Type>) => void): this;
  once<Type extends AgentEventType>(type: Type, handler: (event: AgentEventOf<Type>) => void): this;
  off<Type extends AgentEventType>(type: Type, handler: (event: AgentEventOf<Type>) => void): this;
  /** Answers an open question, or says something to an agent that listens while it works. */
  send(text: string): Promise<void>;
  /** Another prompt in the same session; agents that do not listen are started again for it. */
  queue(prompt: string, options?: { when?: QueueMoment }): Promise<void>;
  /** Changes what the agent is doing now. */
  steer(prompt: string): Promise<void>;
  /** The same as queueing for the next turn. */
  continue(prompt: string): Promise<void>;
  approve(detail?: string): Promise<void>;
  deny(reason?: string): Promise<void>;
  /** Ends the turn, as Ctrl-C would. */
  interrupt(): Promise<void>;
  /** Ends the agent and everything it started; resolves when they are gone. */
  abort(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  result(): Promise<RunResult>;
}
