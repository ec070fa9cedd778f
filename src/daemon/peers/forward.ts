/** A request about another machine or one of its sessions, done over there; its answer, passed on as it comes. */
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { Endpoint } from "../../client/endpoint.ts";
import { Started } from "../../protocol/daemon-api.ts";
import {
  COLS_HEADER,
  INCARNATION_HEADER,
  INPUT_ID_HEADER,
  KEYS_HEADER,
  ROWS_HEADER,
  SEQ_HEADER,
} from "../../protocol/runner-headers.ts";
import { Problem } from "../problem.ts";
import { askPeer, callPeer, collect } from "./ask-peer.ts";
import { reasonOf } from "./unreachable-reason.ts";

/** Ending a session that does not want to takes its time, and so does reading all there is. */
const WITHIN_MS = 60_000;
const MAX_SEARCH_CHARACTERS = 4096;
const MAX_REFUSAL_BYTES = 64 * 1024;

/** What of a request goes along. */
const HEADERS = ["content-type", INCARNATION_HEADER, INPUT_ID_HEADER, KEYS_HEADER] as const;

/** What of an answer comes along, when it is a number. */
const NUMBERS = [COLS_HEADER, ROWS_HEADER, SEQ_HEADER] as const;

/** What an answer may be; everything else is bytes. Nothing a browser would run under our name. */
const TYPES = /^(application\/json|application\/x-ndjson|text\/(plain|markdown|csv))(\s*;.*)?$/i;

/** What starts a session answers with its id. */
const STARTS = /\/(resume|restart|fork)$/;

export interface ForwardedRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** With its question mark, or empty. */
  search: string;
  headers: Headers;
  body: Uint8Array | undefined;
  /** Ends when the client has gone. */
  signal: AbortSignal;
}

/** A daemon says the same of a session it does not have and of a question it does not know; but not in the same words. */
async function missing(peer: string, answer: IncomingMessage): Promise<Response> {
  const text = await collect(answer, MAX_REFUSAL_BYTES);
  if (/"message":"There is nothing at /.test(text)) {
    throw new Problem("peer_too_old", `The daemon of ${peer} is of a version that cannot do this. Update amux there.`);
  }
  return new Response(text, { status: 404, headers: { "content-type": "application/json" } });
}

export async function forward(
  peer: string,
  path: string,
  link: { endpoint: Endpoint; signal: AbortSignal },
  { method, search, headers, body, signal }: ForwardedRequest,
): Promise<Response> {
  if (search.length > MAX_SEARCH_CHARACTERS) throw new Problem("bad_request", "The query is too long.");
  const either = AbortSignal.any([link.signal, signal]);
  const request = {
    method,
    path: `${path}${search}`,
    headers: Object.fromEntries(HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : []))),
    // Waiting for a session is as long as it was asked to be.
    withinMs: path.endsWith("/wait") ? 0 : WITHIN_MS,
    ...(body === undefined || body.length === 0 ? {} : { body }),
  };
  try {
    if (STARTS.test(path)) {
      const started = await askPeer(link.endpoint, request, Started, either);
      return Response.json({ ok: true, data: { ...started, session_id: `${started.session_id}@${peer}` } });
    }
    const answer = await callPeer(link.endpoint, request, either);
    const status = answer.statusCode ?? 0;
    // Nobody is sent elsewhere by a machine he did not name; and its gate's words are about our link to it.
    if (status < 200 || status === 401 || status === 403 || (status >= 300 && status < 400)) {
      answer.destroy();
      throw new Problem("peer_unreachable", `${peer} does not let us in (status ${status}).`);
    }
    if (status === 404) return await missing(peer, answer);
    const type = answer.headers["content-type"] ?? "";
    return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, {
      status,
      headers: {
        "content-type": TYPES.test(type) ? type : "application/octet-stream",
        ...Object.fromEntries(
          NUMBERS.flatMap((name) =>
            /^\d{1,15}$/.test(String(answer.headers[name])) ? [[name, String(answer.headers[name])]] : [],
          ),
        ),
      },
    });
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem("peer_unreachable", `${peer} cannot be reached. ${reasonOf(error)}`, error);
  }
}
