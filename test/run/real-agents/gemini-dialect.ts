/** The generateContent protocol, as Gemini CLI speaks it. */
import { newId, textOf, type Block, type Dialect, type Given, type Piece } from "./dialect.ts";

interface Content {
  role: string;
  parts: Block[];
}

export const gemini: Dialect = {
  takes: /\/models\/[^/]+:(?:stream)?[gG]enerateContent$/,
  modelOf: (_body, path) => /models\/([^:]+):/.exec(path)![1]!,
  read(body) {
    const contents = body["contents"] as Content[];
    const declared = (body["tools"] ?? []) as { functionDeclarations?: { name: string }[] }[];
    const answers = ({ parts }: Content): boolean => parts.some((part) => "functionResponse" in part);
    const at = contents.findLastIndex((content) => content.role === "user" && !answers(content));
    return {
      prompt: textOf(contents[at]?.parts),
      hasToolResult: contents.slice(at + 1).some(answers),
      tools: declared.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    };
  },
  streams: (_body, path) => path.endsWith(":streamGenerateContent"),
  pieces(answer, model) {
    if (answer.kind === "tool") return [{ data: whole(answer, model, "STOP") }];
    const words = answer.text.split(/(?<= )/);
    return words.map((text, index): Piece => {
      const isLast = index === words.length - 1 && answer.kind === "text";
      return { data: whole({ ...answer, text }, model, isLast ? "STOP" : undefined) };
    });
  },
  whole: (answer, model) => whole(answer, model, "STOP"),
  refusal: (status, message) => ({
    error: { code: status, message, status: status === 429 ? "RESOURCE_EXHAUSTED" : "INVALID_ARGUMENT" },
  }),
};

function whole(answer: Given, model: string, finishReason: string | undefined): object {
  const { input, cached, output } = answer.usage;
  const part =
    answer.kind === "tool" ? { functionCall: { name: answer.name, args: answer.input } } : { text: answer.text };
  return {
    responseId: newId("r"),
    modelVersion: model,
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, ...(finishReason ? { finishReason } : {}) }],
    usageMetadata: {
      promptTokenCount: input + cached,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output,
      totalTokenCount: input + cached + output,
    },
  };
}
