/** Messages from updates: the pieces of a reply are put together, and its tools' results follow it. */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReadNotes } from "../read-notes.ts";
import { answerMessage, toolMessage, withTimestamp } from "../shared/message-fields.ts";
import {
  ANSWER,
  COMPACTED,
  contentOf,
  imageIn,
  PROMPT,
  promptFacts,
  REWIND,
  SILENT,
  SUBAGENT_END,
  textOf,
  THOUGHT,
  TOOL_CALL,
  TOOL_UPDATE,
  toolEnd,
  toolStart,
  TURN_END,
  turnEnd,
  type Update,
} from "./format.ts";

interface Reply {
  common: Partial<SessionMessage>;
  replyMs: number | undefined;
  text: string;
  thinking: string;
  calls: SessionToolCall[];
  results: SessionMessage[];
}

export function* messagesOf(
  updates: Iterable<Update>,
  sessionId: string,
  notes?: ReadNotes,
): Generator<SessionMessage> {
  const build = new MessageBuilder(sessionId);
  for (const update of updates) {
    if (!build.see(update) && !SILENT.has(update.kind)) notes?.unknown(update.kind);
    yield* build.take();
  }
  build.end();
  yield* build.take();
}

/** True for a record that was copied from another session. */
export function isInherited({ eventId }: Update, sessionId: string): boolean {
  return eventId !== undefined && !eventId.startsWith(sessionId);
}

class MessageBuilder {
  readonly #sessionId: string;
  #ready: SessionMessage[] = [];
  #prompt: { message: SessionMessage; index: number | undefined } | undefined;
  #reply: Reply | undefined;
  #model: string | undefined;
  readonly #callIds = new Set<string>();

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  take(): SessionMessage[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  end(): void {
    if (this.#prompt !== undefined) this.#ready.push(this.#prompt.message);
    this.#prompt = undefined;
    if (this.#reply === undefined) return;
    const { text, thinking, calls, common, results } = this.#reply;
    const answer = { content: text, toolCalls: calls, model: this.#model, thinking: thinking || undefined };
    this.#ready.push(answerMessage(answer, common), ...results);
    this.#reply = undefined;
  }

  /** False if the kind of update is not known here. */
  see(update: Update): boolean {
    switch (update.kind) {
      case PROMPT:
        this.#seePrompt(update);
        return true;
      case ANSWER:
        this.#replyOf(update, true).text += textOf(contentOf(update));
        return true;
      case THOUGHT:
        this.#replyOf(update, true).thinking += textOf(contentOf(update));
        return true;
      case TOOL_CALL:
        this.#seeCall(update);
        return true;
      case TOOL_UPDATE:
        this.#seeLostCall(update);
        this.#seeResult(update);
        return true;
      case TURN_END: {
        this.end();
        const { error } = turnEnd(update);
        if (error !== undefined) this.#system(update, error);
        return true;
      }
      case REWIND:
        this.end();
        return true;
      case COMPACTED:
        this.#system(update, "The conversation was compacted.");
        return true;
      default:
        return update.kind === SUBAGENT_END;
    }
  }

  #system(update: Update, content: string): void {
    this.end();
    this.#ready.push({ role: "system", content, ...this.#common(update) });
  }

  #common(update: Update): Partial<SessionMessage> {
    return {
      ...withTimestamp(update.at),
      ...(isInherited(update, this.#sessionId) ? { inherited: true } : {}),
    };
  }

  /** Text and pictures of a prompt come in separate records. */
  #seePrompt(update: Update): void {
    const { model, index } = promptFacts(update);
    if (this.#prompt === undefined || this.#prompt.index !== index) {
      this.end();
      this.#prompt = { index, message: { role: "user", content: "", ...this.#common(update) } };
    }
    this.#model = model ?? this.#model;
    const { message } = this.#prompt;
    const block = contentOf(update);
    message.content = [message.content, textOf(block)].filter((text) => text !== "").join("\n");
    const image = imageIn(block);
    if (image !== undefined) message.images = [...(message.images ?? []), image];
  }

  #replyOf(update: Update, isText: boolean): Reply {
    const open = this.#reply;
    const isSame =
      open !== undefined &&
      (update.replyMs === undefined ? !isText || open.results.length === 0 : update.replyMs === open.replyMs);
    if (isSame) return open;
    this.end();
    this.#reply = {
      common: this.#common(update),
      replyMs: update.replyMs,
      text: "",
      thinking: "",
      calls: [],
      results: [],
    };
    return this.#reply;
  }

  #seeCall(update: Update): void {
    const start = toolStart(update);
    if (start === undefined) return;
    this.#callIds.add(start.id);
    const { calls } = this.#replyOf(update, false);
    if (calls.some(({ toolCallId }) => toolCallId === start.id)) return;
    calls.push({ toolCallId: start.id, toolName: start.name, input: start.input });
  }

  /** Damage may have taken the call. Its first update has all of it, too. */
  #seeLostCall(update: Update): void {
    if (!this.#callIds.has(toolStart(update)?.id ?? "")) this.#seeCall(update);
  }

  #seeResult(update: Update): void {
    const end = toolEnd(update);
    const call = end && this.#reply?.calls.find(({ toolCallId }) => toolCallId === end.id);
    if (end === undefined || call === undefined || call.output !== undefined) return;
    const { id: toolCallId, output, isError } = end;
    call.output = output;
    if (isError) call.isError = true;
    const result = { toolCallId, toolName: call.toolName, output, ...optional("isError", isError || undefined) };
    this.#reply!.results.push(toolMessage(result, this.#common(update)));
  }
}
