/** Reads request bodies with a limit. */
import type * as z from "zod/mini";
import { Problem } from "../problem.ts";

/**
 * Of a body that is too large, this much more is read before the answer: many clients read an answer only when they have sent
 * everything, and a connection that is closed before takes it with it.
 */
const MORE_BYTES = 32 * 1024 * 1024;

export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = new Problem("too_large", `The body may have at most ${limit} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > limit + MORE_BYTES) throw tooLarge;
  if (request.body === null) return new Uint8Array();
  let chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.length;
    if (size > limit + MORE_BYTES) throw tooLarge;
    if (size <= limit) chunks.push(chunk);
    else chunks = [];
  }
  if (size > limit) throw tooLarge;
  return Buffer.concat(chunks);
}

export async function readJson<Value>(request: Request, schema: z.ZodMiniType<Value>, limit: number): Promise<Value> {
  // Any page can send a form or plain text without preflight; JSON it cannot.
  const type = request.headers.get("content-type") ?? "application/json";
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new Problem("unsupported_type", "The body must be JSON, with the header content-type: application/json.");
  const text = new TextDecoder().decode(await readBytes(request, limit));
  let value: unknown;
  try {
    value = text === "" ? {} : JSON.parse(text);
  } catch {
    throw new Problem("bad_request", "The body is not JSON.");
  }
  return checked(schema, value, "body");
}

export function checked<Value>(schema: z.ZodMiniType<Value>, value: unknown, what: string): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = [what, ...(issue?.path ?? [])].join(".");
  throw new Problem("bad_request", `${place}: ${issue?.message ?? "is not valid"}`);
}
