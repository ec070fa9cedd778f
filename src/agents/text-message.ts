/**
 * A session for whoever looks for words in it: its messages, with their texts left as they lie in a file until somebody
 * wants to see one. To parse a transcript takes longer than everything else a search does with it.
 */
import type { MessageRole, SessionMessage } from "../core/session.ts";
import type { GrowthPoint } from "./adapter.ts";

/** All that is given is valid until the next session is opened. */
export interface SessionTexts {
  /** In order. */
  messages(): Iterable<TextMessage>;
  subagents(): Iterable<{ id: string; messages: Iterable<TextMessage> }>;
  growthPoint?(): GrowthPoint | undefined;
}

export interface TextMessage {
  readonly role: MessageRole;
  readonly model?: string | undefined;
  /** Where all of its texts lie. Undefined: it was built already, or had to be. */
  readonly raw?: RawTexts | undefined;
  /** Undefined where it takes more than its own records to build it. */
  readonly spot?: Spot | undefined;
  build(): SessionMessage;
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

/** Texts of a message as JSON has them. */
export interface RawTexts {
  readonly bytes: Buffer;
  /** Three numbers for each: what it is, where it begins and where it ends. */
  readonly pieces: readonly number[];
}

/** A string, without its quotes. */
export const TEXT = 0;
/** The same, which goes on with the text before it after a blank line. */
export const MORE_TEXT = 1;
/** A value, every string of which is a text; keys are none. What lies behind its end is not looked at. */
export const VALUE = 2;

/** One that is there already. */
export function builtMessage(message: SessionMessage): TextMessage {
  return { role: message.role, model: message.model, build: () => message };
}
