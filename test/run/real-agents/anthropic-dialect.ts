/** The Messages protocol, as Claude Code and Pi speak it. */
import { newId, textOf, type Block, type Dialect, type Given, type Piece } from "./dialect.ts";

interface Message {
  role: string;
  content: string | Block[];
}

export const anthropic: Dialect = {
  takes: /\/v1\/messages(?:\/count_tokens)?$/,
  modelOf: (body) => String(body["model"]),
  read(body) {
    const messages = body["messages"] as Message[];
    const tools = (body["tools"] ?? []) as { name: string }[];
    const isResult = (block: Block): boolean => block["type"] === "tool_result";
    const results = ({ content }: Message): boolean => typeof content !== "string" && content.some(isResult);
    const prompt = messages.findLast((message) => message.role === "user" && !results(message));
    const last = messages.findLast(({ role }) => role === "user");
    return {
      prompt: textOf(prompt?.content),
      hasToolResult: last !== undefined && results(last),
      tools: tools.map(({ name }) => name),
    };
  },
  streams: (body) => body["stream"] === true,
  pieces(answer, model) {
    const { usage } = answer;
    const message = {
      id: newId("msg"),
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...wireUsage(answer), output_tokens: 1 },
    };
    const pieces: Piece[] = [{ event: "message_start", data: { type: "message_start", message } }];
    const push = (type: string, fields: object): void => void pieces.push({ event: type, data: { type, ...fields } });
    if (answer.kind === "tool") {
      const block = { type: "tool_use", id: newId("toolu"), name: answer.name, input: {} };
      push("content_block_start", { index: 0, content_block: block });
      const delta = { type: "input_json_delta", partial_json: JSON.stringify(answer.input) };
      push("content_block_delta", { index: 0, delta });
    } else {
      push("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
      for (const part of answer.text.split(/(?<= )/))
        push("content_block_delta", { index: 0, delta: { type: "text_delta", text: part } });
    }
    if (answer.kind === "stall") return pieces;
    push("content_block_stop", { index: 0 });
    const stop = answer.kind === "tool" ? "tool_use" : "end_turn";
    push("message_delta", {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: usage.output },
    });
    push("message_stop", {});
    return pieces;
  },
  whole(answer, model) {
    const content =
      answer.kind === "tool"
        ? [{ type: "tool_use", id: newId("toolu"), name: answer.name, input: answer.input }]
        : [{ type: "text", text: answer.text }];
    return {
      id: newId("msg"),
      type: "message",
      role: "assistant",
      model,
      content,
      stop_reason: answer.kind === "tool" ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: wireUsage(answer),
      input_tokens: answer.usage.input,
    };
  },
  refusal: (status, message) => ({
    type: "error",
    error: { type: status === 429 ? "rate_limit_error" : "invalid_request_error", message },
  }),
};

function wireUsage({ usage }: Given): object {
  return {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cached,
    cache_creation_input_tokens: 0,
    output_tokens: usage.output,
  };
}
