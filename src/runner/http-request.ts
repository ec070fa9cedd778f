/** Reads requests: bodies with a limit, numbers with a range. Violations become answers, not crashes. */
import type { IncomingMessage } from "node:http";
import { check, type Shape } from "../protocol/shape.ts";

export class HttpProblem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Not `for await`: leaving that early would close the connection before the answer. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) chunks.push(chunk);
      else reject(new HttpProblem(413, "too_large", `The body may have at most ${limit} bytes.`));
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("close", () => reject(new HttpProblem(400, "bad_request", "The body ended early.")));
  });
}

export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const body = await readBody(request, limit);
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new HttpProblem(400, "bad_request", "The body is not JSON.");
  }
}

export async function given<T>(
  request: IncomingMessage,
  shape: Shape<T>,
  bytes: number,
  otherwise: string,
): Promise<T> {
  const checked = check(shape, await readJson(request, bytes));
  if (!checked.ok) throw new HttpProblem(400, "bad_request", otherwise);
  return checked.value;
}

export function integerParameter(url: URL, name: string, otherwise: number, max: number): number {
  const text = url.searchParams.get(name);
  if (text === null) return otherwise;
  if (!/^\d{1,15}$/.test(text)) throw new HttpProblem(400, "bad_request", `${name} is a whole number.`);
  return Math.min(Number(text), max);
}
