/**
 * Converts records to messages. A reply is several items; it is held back until the next one begins, so that tool outputs can be
 * joined to it.
 */
import type { TokenCounts, TokenUsage } from "../../core/cost.ts";
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { asText, type Json } from "../../lib/json/fields.ts";
import { isCall, isOutput, isReview, isTimedItem, KIND } from "./format.ts";
import {
  callIdOf,
  contentOf,
  errorIn,
  messageIn,
  picturesIn,
  reasonOf,
  thinkingOf,
  timesOf,
  toolCallOf,
} from "./format-items.ts";
import { abortText, reviewText, summaryText } from "./notice-text.ts";
import { promptText, textOfContent, type PromptSource } from "./prompt-text.ts";
import { toolOutput } from "./tool-output.ts";
import type { Entry } from "./thread-stream.ts";

export interface Placed {
  message: SessionMessage;
  /** Of the message's first record in the stream. */
  number: number;
}

interface Reply {
  first: Entry;
  texts: string[];
  thinking: string[];
  calls: SessionToolCall[];
  /** Visible content, or a call. Encrypted reasoning alone (an interrupted request) is neither. */
  visible: boolean;
  /** Only text, like a compaction summary. */
  textOnly: boolean;
  usage?: TokenUsage;
  message?: SessionMessage;
}

interface OpenCall {
  call: SessionToolCall;
  atMs: number | undefined;
}

export class Transcript {
  readonly #prompts: PromptSource;
  #reply: Reply | undefined;
  /** The last finished reply of the turn: its token count may come after its tools' output. */
  #finished: Reply | undefined;
  /** For the next reply. */
  #earlyUsage: TokenUsage | undefined;
  #held: Placed[] = [];
  #lastNotice = "";
  readonly #calls = new Map<string, OpenCall>();

  constructor(prompts: PromptSource) {
    this.#prompts = prompts;
  }

  /** Takes the next record of the conversation; returns the messages that are complete. */
  take(entry: Entry): Placed[] {
    const prompt = promptText(entry, this.#prompts);
    if (prompt !== undefined) {
      this.#startTurn();
      this.#hold({ role: "user", content: prompt, ...picturesIn(entry.record.payload) }, entry);
      return [];
    }
    let released: Placed[] = [];
    if (isReplyPart(entry)) released = this.#takePart(entry);
    else this.#takeOther(entry);
    this.#takeUsage(entry);
    return released;
  }

  /** Flushes what is held back; call it at the end, and before messages are counted. */
  release(): Placed[] {
    this.#finish();
    const released = this.#held;
    this.#held = [];
    return released;
  }

  #startTurn(): void {
    this.#finish();
    this.#finished = undefined;
    this.#earlyUsage = undefined;
    this.#lastNotice = "";
  }

  #takePart(entry: Entry): Placed[] {
    let released: Placed[] = [];
    if (this.#reply === undefined) {
      released = this.release();
      this.#reply = { first: entry, texts: [], thinking: [], calls: [], visible: false, textOnly: true };
      if (this.#earlyUsage) this.#reply.usage = this.#earlyUsage;
      this.#earlyUsage = undefined;
    }
    this.#fill(this.#reply, entry);
    return released;
  }

  #fill(reply: Reply, { record, number }: Entry): void {
    if (record.type === KIND.message) {
      reply.visible = true;
      reply.texts.push(textOfContent(contentOf(record.payload)));
      return;
    }
    reply.textOnly = false;
    if (record.type === KIND.reasoning) {
      const thinking = thinkingOf(record.payload);
      reply.visible ||= thinking.length > 0;
      reply.thinking.push(...thinking);
      return;
    }
    reply.visible = true;
    const call = toolCallOf(record.type, record.payload, number);
    reply.calls.push(call);
    this.#calls.set(call.toolCallId, { call, atMs: record.time });
  }

  #takeOther(entry: Entry): void {
    const { record } = entry;
    if (isOutput(record.type)) {
      this.#finish();
      this.#hold(this.#toolMessage(entry), entry);
    } else if (isTimedItem(record.type)) this.#takeToolTimes(record.payload);
    else if (isReview(record.type)) this.#notice(entry, reviewText(entry));
    switch (record.type) {
      case KIND.summary:
        this.#takeSummary(entry, messageIn(record.payload) ?? "");
        break;
      case KIND.turnAborted:
        this.#notice(entry, abortText(reasonOf(record.payload)));
        break;
      case KIND.error:
        this.#notice(entry, asText(messageIn(record.payload)));
        break;
      case KIND.taskComplete:
      case KIND.turnComplete:
        this.#finish();
        this.#notice(entry, errorIn(record.payload));
        break;
      case KIND.taskStarted:
      case KIND.turnStarted:
      case KIND.rolledBack:
        this.#startTurn();
        break;
      default:
        break;
    }
  }

  /** The summary request is billed and answered like others, but its answer is not a reply. */
  #takeSummary(entry: Entry, summary: string): void {
    this.#finish();
    const reply = this.#finished;
    const text = reply?.texts.join("\n") ?? "";
    const isLast = reply !== undefined && this.#held.at(-1)?.message === reply.message;
    if (isLast && reply.textOnly && text !== "" && summary.endsWith(text)) this.#held.pop();
    this.#earlyUsage = undefined;
    this.#notice(entry, summaryText(summary));
  }

  /** A failure may be recorded both as an error and at the turn's end. */
  #notice(entry: Entry, content: string | undefined): void {
    if (content === undefined || content === this.#lastNotice) return;
    this.#finish();
    this.#hold({ role: "system", content }, entry);
    this.#lastNotice = content;
  }

  #takeUsage({ record, usage }: Entry): void {
    const isRecord = record.type === KIND.usage;
    if (usage) this.#attach(tokenUsage(usage.tokens), isRecord);
    if (isRecord) this.#finish();
  }

  /** A usage record ends its reply; a token count ends it, comes late, or (0.44) precedes the items. */
  #attach(usage: TokenUsage, endsReply: boolean): void {
    const late = this.#finished?.message;
    if (this.#reply && this.#reply.usage === undefined) {
      this.#reply.usage = usage;
      this.#finish();
    } else if (endsReply) return;
    else if (late && late.tokenUsage === undefined) late.tokenUsage = usage;
    else this.#earlyUsage = usage;
  }

  #finish(): void {
    const reply = this.#reply;
    this.#reply = undefined;
    if (reply === undefined || !reply.visible) return;
    const { model } = reply.first;
    const thinking = reply.thinking.join("\n\n");
    reply.message = {
      role: "assistant",
      content: reply.texts.filter((text) => text !== "").join("\n\n"),
      ...(thinking === "" ? {} : { thinking }),
      ...(reply.calls.length === 0 ? {} : { toolCalls: reply.calls }),
      ...(reply.usage ? { tokenUsage: reply.usage } : {}),
      ...(model === undefined ? {} : { model }),
    };
    this.#hold(reply.message, reply.first);
    this.#finished = reply;
  }

  #hold(message: SessionMessage, entry: Entry): void {
    const { time } = entry.record;
    if (time !== undefined) message.timestamp = new Date(time);
    if (entry.inherited) message.inherited = true;
    this.#held.push({ message, number: entry.number });
  }

  #toolMessage({ record, number }: Entry): SessionMessage {
    const toolCallId = callIdOf(record.payload) ?? `call-${number}`;
    const { text, isError, durationMs } = toolOutput(record.payload);
    const open = this.#calls.get(toolCallId);
    this.#calls.delete(toolCallId);
    const failed = isError || open?.call.isError === true;
    if (open) {
      open.call.output = text;
      if (failed) open.call.isError = true;
      const between = record.time !== undefined && open.atMs !== undefined ? record.time - open.atMs : undefined;
      const duration = durationMs ?? open.call.durationMs ?? between;
      if (duration !== undefined && duration >= 0) open.call.durationMs = duration;
    }
    return {
      role: "tool",
      content: text,
      toolResult: {
        toolCallId,
        toolName: open?.call.toolName ?? "",
        output: text,
        ...(failed ? { isError: true } : {}),
      },
    };
  }

  #takeToolTimes(payload: Json): void {
    const { callId, durationMs, hasFailed } = timesOf(payload);
    const open = this.#calls.get(callId);
    if (open === undefined) return;
    if (durationMs !== undefined) open.call.durationMs = durationMs;
    if (hasFailed) open.call.isError = true;
  }
}

export function isReplyPart({ record }: Entry): boolean {
  if (record.type !== KIND.message) return record.type === KIND.reasoning || isCall(record.type);
  return record.role === "assistant" && !record.isSummary;
}

function tokenUsage(tokens: TokenCounts): TokenUsage {
  return {
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    thinkingTokens: tokens.thinking,
    cachedTokens: tokens.cached,
    cacheWriteTokens: tokens.cacheWrite,
  };
}
