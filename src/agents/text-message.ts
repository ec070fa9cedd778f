/** A session for whoever looks for words in it: its messages, with where they lie. */
import type { SessionMessage } from "../core/session.ts";
import type { GrowthPoint } from "./growth-point.ts";

export interface SessionTexts {
  /** In order. */
  messages(): Iterable<TextMessage>;
  subagents(): Iterable<{ id: string; messages: Iterable<TextMessage> }>;
  growthPoint?(): GrowthPoint | undefined;
}

export interface TextMessage {
  readonly message: SessionMessage;
  /** Undefined where it takes more than its own records to build it. */
  readonly spot?: Spot | undefined;
}

/** Where a message's records lie, for whoever wants to see it again and nothing else (`rebuild` in adapter.ts). */
export interface Spot {
  readonly path: string;
  /** Offsets of lines, in order. */
  readonly starts: readonly number[];
  /** Of a tool's output: the tool. */
  readonly tool?: string | undefined;
  /** What else there is to be known of it; one of few numbers. */
  readonly state?: number | undefined;
}
