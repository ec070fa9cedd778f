/** Queries another machine's daemon. Every answer is validated and limited in size. */
import type { IncomingMessage } from "node:http";
import type * as z from "zod/mini";
import { requestTo, type Endpoint } from "../../client/endpoint.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import { asObject, asText } from "../../lib/json/fields.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";
import { ERROR_STATUS, type DaemonErrorCode } from "../../protocol/daemon-api.ts";
import { Problem } from "../problem.ts";

const DEFAULT_WITHIN_MS = 15_000;
/** A slower answer is aborted. */
const SLOWEST_BYTES_PER_MS = 100;
const DEFAULT_MAX_BYTES = 1024 * 1024;
const MAX_WORDS = 500;

export interface PeerRequest {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Time until the answer begins; 0 for no limit. */
  withinMs?: number;
}

/** The data of an answer. */
export async function askPeer<Value>(
  endpoint: Endpoint,
  request: string | (PeerRequest & { maxBytes?: number }),
  schema: z.ZodMiniType<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const { maxBytes = DEFAULT_MAX_BYTES, ...wanted } = typeof request === "string" ? { path: request } : request;
  const inAll = (wanted.withinMs ?? DEFAULT_WITHIN_MS) + Math.ceil(maxBytes / SLOWEST_BYTES_PER_MS);
  const response = await callPeer(endpoint, wanted, AbortSignal.any([signal, AbortSignal.timeout(inAll)]));
  const body = asObject(jsonOf(await collect(response, maxBytes)));
  if (body?.["ok"] !== true) throw refusal(response.statusCode ?? 0, body);
  const data = schema.safeParse(body["data"]);
  if (data.success) return data.data;
  throw notUnderstood();
}

/** The elements of an array answer. */
export async function askPeerForAll<Value>(
  endpoint: Endpoint,
  request: PeerRequest & { maxBytes: number },
  schema: z.ZodMiniType<Value>,
  signal: AbortSignal,
): Promise<Value[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of readPeer(endpoint, request, signal)) chunks.push(chunk);
  const body = asObject(jsonOf(Buffer.concat(chunks).toString("utf8")));
  return checkedAll(body?.["data"], schema);
}

/** The elements of an array, each validated; a long one blocks nobody for long. */
export async function checkedAll<Value>(data: unknown, schema: z.ZodMiniType<Value>): Promise<Value[]> {
  const found: Value[] = [];
  const yielder = new EventLoopYielder();
  if (!Array.isArray(data)) throw notUnderstood();
  for (const element of data) {
    const checked = schema.safeParse(element);
    if (!checked.success) throw notUnderstood();
    found.push(checked.data);
    await yielder.yieldIfDue();
  }
  return found;
}

/** A streamed answer; a refusal throws the other daemon's error. */
export async function* readPeer(
  endpoint: Endpoint,
  { maxBytes, ...request }: PeerRequest & { maxBytes: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const inAll = (request.withinMs ?? DEFAULT_WITHIN_MS) + Math.ceil(maxBytes / SLOWEST_BYTES_PER_MS);
  const response = await callPeer(endpoint, request, AbortSignal.any([signal, AbortSignal.timeout(inAll)]));
  const status = response.statusCode ?? 0;
  if (status !== 200) throw refusal(status, asObject(jsonOf(await collect(response, DEFAULT_MAX_BYTES))));
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Problem("peer_unreachable", "Its answer is too long.");
    yield chunk;
  }
}

function notUnderstood(): Problem {
  return new Problem("peer_unreachable", "Its answer is malformed; its version may differ.");
}

/** Resolves when the answer begins, before it is read. */
export function callPeer(endpoint: Endpoint, request: PeerRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { method = "GET", path, headers = {}, body, withinMs = DEFAULT_WITHIN_MS } = request;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Error("The connection was lost."));
    const outgoing = requestTo(endpoint, { method, path, headers });
    const cut = (): void => void outgoing.destroy(new Error("The connection was lost."));
    signal.addEventListener("abort", cut, { once: true });
    const timer = setTimeout(
      () => outgoing.destroy(new Error("It does not answer.")),
      withinMs === 0 ? 2 ** 31 - 1 : withinMs,
    );
    outgoing.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    outgoing.once("close", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", cut);
    });
    outgoing.once("response", (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    outgoing.end(body);
  });
}

export async function collect(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      throw new Problem("peer_unreachable", "Its answer is too long.");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** With the other daemon's message, if there is one. */
function refusal(status: number, body: Record<string, unknown> | undefined): Problem {
  const error = asObject(body?.["error"]);
  const code = asText(error?.["code"]) ?? "";
  if (status === 404 && /^There is nothing at /.test(asText(error?.["message"]) ?? "")) {
    return new Problem("peer_too_old", "Its daemon is of a version that cannot do this. Update amux there.");
  }
  const message = truncate(oneLine(asText(error?.["message"]) ?? ""), MAX_WORDS);
  if (message === "")
    return new Problem("peer_unreachable", `The address does not belong to an amux daemon (status ${status}).`);
  // Its access refusals concern our link, not our client.
  const isOurs = status === 401 || status === 403 || !Object.hasOwn(ERROR_STATUS, code);
  return new Problem(isOurs ? "peer_unreachable" : (code as DaemonErrorCode), message);
}
