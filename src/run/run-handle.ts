/** A caller's handle to a run: its events, its end, and its controls. */
import type { AgentEvent, AgentEventOf, AgentEventType } from "../core/agent-event.ts";
import type { RunResult, RunState } from "../core/run-result.ts";
import type { InteractionChannel } from "./interactions.ts";

/** When a queued prompt is sent. */
export type QueueMoment = "next-turn" | "after-tool" | "after-response";

/**
 * Each iteration sees every event from the first. A slow reader slows the agent; one that stops reading without ending its
 * iteration stops it. Awaiting the handle gives the result and never rejects.
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
  /** Answers an open question, or sends text to an agent that accepts input while it works. */
  send(text: string): Promise<void>;
  /** Queues another prompt for the same session; agents that take no input are started again for it. */
  queue(prompt: string, options?: { when?: QueueMoment }): Promise<void>;
  /** Redirects the agent's current work. */
  steer(prompt: string): Promise<void>;
  /** Queues a prompt for the next turn. */
  continue(prompt: string): Promise<void>;
  approve(detail?: string): Promise<void>;
  deny(reason?: string): Promise<void>;
  /** Ends the turn, like Ctrl-C. */
  interrupt(): Promise<void>;
  /** Ends the agent and its descendants; resolves when they are gone. */
  abort(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  result(): Promise<RunResult>;
}
