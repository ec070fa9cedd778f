/** JSON-RPC over standard input and output, one message per line, as in MCP. */
import type { Readable } from "node:stream";
import { AgentMuxError } from "../../core/errors.ts";
import { asObject, asString, type Json } from "../../lib/json/fields.ts";
import { wellFormedJson } from "../../lib/text/text.ts";
import { LineSplitter } from "../../run/line-splitter.ts";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** Undefined if there is no such method. */
export type Methods = (method: string, params: Json) => Promise<unknown> | undefined;

/** Until the input ends and every request is answered. */
export async function serve(input: Readable, send: (line: string) => void, methods: Methods): Promise<void> {
  const open = new Set<Promise<void>>();
  const answer = (message: Json): void => send(`${wellFormedJson(JSON.stringify({ jsonrpc: "2.0", ...message }))}\n`);
  const lines = new LineSplitter(
    (line) => {
      const work = handle(line, methods, answer).finally(() => open.delete(work));
      open.add(work);
    },
    () => answer({ id: null, error: { code: INVALID_REQUEST, message: "The message is too long." } }),
  );
  for await (const chunk of input) lines.push(chunk as Buffer);
  lines.end();
  await Promise.all(open);
}

async function handle(line: string, methods: Methods, answer: (message: Json) => void): Promise<void> {
  let message: Json | undefined;
  try {
    message = asObject(JSON.parse(line));
  } catch {
    return answer({ id: null, error: { code: PARSE_ERROR, message: "This is not JSON." } });
  }
  const method = asString(message?.["method"]);
  const id = message?.["id"];
  // An answer to a request we never send.
  if (message && method === undefined && ("result" in message || "error" in message)) return;
  if (!message || method === undefined) {
    return answer({ id: id ?? null, error: { code: INVALID_REQUEST, message: "This is not a request." } });
  }
  try {
    const result = methods(method, asObject(message["params"]) ?? {});
    // A notification needs no answer.
    if (id === undefined) return;
    if (result === undefined) {
      return answer({ id, error: { code: METHOD_NOT_FOUND, message: `There is no method ${method}.` } });
    }
    answer({ id, result: await result });
  } catch (error) {
    const isTheirs = error instanceof AgentMuxError && error.code === "VALIDATION_ERROR";
    const code = isTheirs ? INVALID_PARAMS : INTERNAL_ERROR;
    if (id !== undefined) answer({ id, error: { code, message: (error as Error).message } });
  }
}
