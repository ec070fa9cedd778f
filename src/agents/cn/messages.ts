/** Builds messages from the items of a session. */
import type { SessionMessage } from "../../core/session.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReadNotes } from "../read-notes.ts";
import { answerMessage, tokenUsage, toolMessage } from "../shared/message-fields.ts";
import type { Item } from "./format.ts";

/** Editors write thoughts before their answer and outputs after it, as items of their own. */
export function* messagesOf(items: readonly Item[], notes: ReadNotes): Generator<SessionMessage> {
  const outputs = new Map(items.flatMap(({ role, answers, content }) => (role === "tool" ? [[answers, content]] : [])));
  const calls = new Map(items.flatMap((item) => item.calls.map((call) => [call.id, call])));
  let thoughts: string[] = [];
  for (const item of items) {
    const { role, content, isSummary, images } = item;
    if (isSummary || role === "system") yield { role: "system", content };
    else if (role === "user") yield { role: "user", content, ...images };
    else if (role === "assistant") {
      yield* answer(item, thoughts, outputs);
      thoughts = [];
    } else if (role === "thinking") {
      if (content !== "") thoughts.push(content);
    } else if (role === "tool") {
      const { answers: toolCallId = "" } = item;
      const call = calls.get(toolCallId);
      if (call?.output === undefined) yield toolMessage({ toolCallId, toolName: call?.name ?? "", output: content });
    } else notes.unknown(`message ${role ?? ""}`);
  }
}

function* answer(
  { content, calls, model, tokens }: Item,
  thoughts: readonly string[],
  outputs: ReadonlyMap<string | undefined, string>,
): Generator<SessionMessage> {
  const toolCalls = calls.map(({ id, name, input, output, hasFailed }) => ({
    toolCallId: id,
    toolName: name,
    input,
    ...optional("output", output ?? outputs.get(id)),
    ...(hasFailed ? { isError: true } : {}),
  }));
  const thinking = thoughts.length === 0 ? undefined : thoughts.join("\n\n");
  yield answerMessage({ content, thinking, toolCalls, model, tokenUsage: tokens && tokenUsage(tokens) });
  for (const { id, name, output, hasFailed } of calls) {
    if (output !== undefined) yield toolMessage({ toolCallId: id, toolName: name, output, isError: hasFailed });
  }
}
