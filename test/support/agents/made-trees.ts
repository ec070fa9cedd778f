/** Records of hand-made trees. */
import type { Json } from "../../../src/lib/json/fields.ts";

/** All times are minutes after this. */
const START = Date.parse("2026-11-15T10:00:00.000Z");

export function at(minute: number): string {
  return new Date(START + minute * 60_000).toISOString();
}

export function header(id: string, more: Json = {}): Json {
  return { type: "session", version: 3, id, timestamp: at(0), cwd: "/home/user/dev/shop-cli", ...more };
}

export function entry(type: string, id: string, parentId: string | null, minute: number, more: Json = {}): Json {
  return { type, id, parentId, timestamp: at(minute), ...more };
}

export function user(id: string, parentId: string | null, minute: number, text: string): Json {
  const message = { role: "user", content: [{ type: "text", text }], timestamp: Date.parse(at(minute)) };
  return entry("message", id, parentId, minute, { message });
}

/** An answer of `output` tokens, with 10 input tokens and one cent per 100 output tokens. */
export function answer(
  id: string,
  parentId: string,
  minute: number,
  text: string,
  output: number,
  more: Json = {},
): Json {
  const message = {
    role: "assistant",
    content: text === "" ? [] : [{ type: "text", text }],
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    usage: {
      input: 10,
      output,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 10 + output,
      cost: { total: output / 10_000 },
    },
    stopReason: "stop",
    timestamp: Date.parse(at(minute)),
    ...more,
  };
  return entry("message", id, parentId, minute, { message });
}

export function toolResult(id: string, parentId: string, minute: number, callId: string, more: Json = {}): Json {
  const content = [{ type: "text", text: `result of ${callId}` }];
  const message = { role: "toolResult", toolCallId: callId, toolName: "bash", content, isError: false, ...more };
  return entry("message", id, parentId, minute, { message });
}

export function lines(records: readonly Json[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
