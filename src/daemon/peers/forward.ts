/** Forwards a request to another machine and streams its answer. */
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

/** Ending a stubborn session, or reading everything, takes time. */
const WITHIN_MS = 60_000;
const MAX_SEARCH_CHARACTERS = 4096;
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Forwarded request headers. */
const HEADERS = ["content-type", INCARNATION_HEADER, INPUT_ID_HEADER, KEYS_HEADER] as const;

/** Forwarded answer headers, if numeric. */
const NUMBERS = [COLS_HEADER, ROWS_HEADER, SEQ_HEADER] as const;

/** Allowed content types; anything else becomes bytes. Nothing a browser would run under our origin. */
const TYPES = /^(application\/json|application\/x-ndjson|text\/(plain|markdown|csv))(\s*;.*)?$/i;

/** Requests that start a session return its id. */
const STARTS = /\/(resume|restart|fork)$/;

export interface ForwardedRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** With its question mark, or empty. */
  search: string;
  headers: Headers;
  body: Uint8Array | undefined;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** A daemon uses the same code for an unknown session and an unknown route; only the message differs. */
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
    // A wait lasts as long as requested.
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
    // No redirects to machines the user did not name; access refusals concern our link.
    if (status < 200 || status === 401 || status === 403 || (status >= 300 && status < 400)) {
      answer.destroy();
      throw new Problem("peer_unreachable", `${peer} refused access (status ${status}).`);
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
