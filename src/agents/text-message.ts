/** A session for text search: its messages, with their offsets. */
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
  /** Undefined if the message cannot be built from its own records alone. */
  readonly spot?: Spot | undefined;
}

/** The offsets of a message's records, to load only that message (`rebuild` in adapter.ts). */
export interface Spot {
  readonly path: string;
  /** Offsets of lines, in order. */
  readonly starts: readonly number[];
  /** For a tool's output: the tool. */
  readonly tool?: string | undefined;
  /** The adapter's state for it; one of a few numbers. */
  readonly state?: number | undefined;
}
