/** The Responses protocol, as Codex speaks it. */
import { newId, textOf, type Block, type Dialect, type Given, type Piece } from "./dialect.ts";

export const responses: Dialect = {
  takes: /\/v1\/responses$/,
  modelOf: (body) => String(body["model"]),
  read(body) {
    const items = body["input"] as Block[];
    const tools = (body["tools"] ?? []) as { name?: string; type: string }[];
    const isPrompt = (item: Block): boolean =>
      item["role"] === "user" && !textOf(item["content"]).trimStart().startsWith("<");
    const at = items.findLastIndex(isPrompt);
    return {
      prompt: textOf(items[at]?.["content"]),
      hasToolResult: items.slice(at + 1).some(({ type }) => String(type).endsWith("_output")),
      tools: tools.map(({ name, type }) => name ?? type),
    };
  },
  streams: (body) => body["stream"] === true,
  pieces(answer, model) {
    const id = newId("resp");
    const pieces: Piece[] = [];
    const push = (type: string, fields: object): void => void pieces.push({ event: type, data: { type, ...fields } });
    push("response.created", { response: { id, object: "response", model, status: "in_progress" } });
    const item = itemOf(answer);
    push("response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress" } });
    if (answer.kind !== "tool") {
      for (const delta of answer.text.split(/(?<= )/))
        push("response.output_text.delta", { item_id: item["id"], output_index: 0, content_index: 0, delta });
    }
    if (answer.kind === "stall") return pieces;
    push("response.output_item.done", { output_index: 0, item });
    push("response.completed", { response: whole(answer, model, id) });
    return pieces;
  },
  whole: (answer, model) => whole(answer, model, newId("resp")),
  refusal: (status, message) => ({
    error: { message, type: status === 429 ? "rate_limit_exceeded" : "invalid_request_error", code: null, param: null },
  }),
};

function itemOf(answer: Given): Block {
  if (answer.kind !== "tool") {
    const content = [{ type: "output_text", text: answer.text, annotations: [] }];
    return { id: newId("msg"), type: "message", role: "assistant", content };
  }
  return {
    id: newId("fc"),
    type: "function_call",
    call_id: newId("call"),
    name: answer.name,
    arguments: JSON.stringify(answer.input),
  };
}

function whole(answer: Given, model: string, id: string): object {
  const { input, cached, output } = answer.usage;
  return {
    id,
    object: "response",
    model,
    status: "completed",
    output: [itemOf(answer)],
    usage: {
      input_tokens: input + cached,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + cached + output,
    },
  };
}
