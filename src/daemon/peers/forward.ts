/** A request about another machine's session, done over there; its answer, passed on as it comes. */
import { Readable } from "node:stream";
import type { Endpoint } from "../../client/endpoint.ts";
import { Started } from "../../protocol/daemon-api.ts";
import { INCARNATION_HEADER, INPUT_ID_HEADER } from "../../protocol/runner-headers.ts";
import { Problem } from "../problem.ts";
import { askPeer, callPeer } from "./ask-peer.ts";
import { reasonOf } from "./reason.ts";

/** Ending a session that does not want to takes its time. */
const WITHIN_MS = 60_000;
const MAX_SEARCH_CHARACTERS = 4096;

/** What of a request goes along. */
const HEADERS = ["content-type", INCARNATION_HEADER, INPUT_ID_HEADER] as const;

/** What an answer may be; everything else is bytes. */
const TYPES = /^(application\/json|text\/plain)(\s*;.*)?$/i;

export interface ForwardedRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** What follows the id: `/kill`. */
  action: string;
  /** With its question mark, or empty. */
  search: string;
  headers: Headers;
  body: Uint8Array | undefined;
  /** Ends when the client has gone. */
  signal: AbortSignal;
}

export async function forward(
  { id, peer }: { id: string; peer: string },
  link: { endpoint: Endpoint; signal: AbortSignal },
  { method, action, search, headers, body, signal }: ForwardedRequest,
): Promise<Response> {
  if (search.length > MAX_SEARCH_CHARACTERS) throw new Problem("bad_request", "The query is too long.");
  const either = AbortSignal.any([link.signal, signal]);
  const request = {
    method,
    path: `/v1/sessions/${id}${action}${search}`,
    headers: Object.fromEntries(HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : []))),
    // Waiting for a session is as long as it was asked to be.
    withinMs: action === "/wait" ? 0 : WITHIN_MS,
    ...(body === undefined || body.length === 0 ? {} : { body }),
  };
  try {
    if (action === "/resume" || action === "/restart") {
      const started = await askPeer(link.endpoint, request, Started, either);
      return Response.json({ ok: true, data: { ...started, session_id: `${started.session_id}@${peer}` } });
    }
    const answer = await callPeer(link.endpoint, request, either);
    const type = answer.headers["content-type"] ?? "";
    return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, {
      status: answer.statusCode ?? 502,
      headers: { "content-type": TYPES.test(type) ? type : "application/octet-stream" },
    });
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem("peer_unreachable", `${peer} cannot be reached. ${reasonOf(error)}`, error);
  }
}
