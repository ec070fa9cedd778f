/**
 * A route is declared once: its address, what it takes and what it gives. From the declaration come the handler's types,
 * the checks before it runs, and its page in the OpenAPI document.
 */
import type * as z from "zod/mini";
import { PeerName } from "../../protocol/peers.ts";
import { isSessionId } from "../../protocol/session-id.ts";
import type { Transport } from "./gate.ts";

type Schema<Value> = z.ZodMiniType<Value>;

export interface Call<Query, Body> {
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  request: Request;
  /** Ends when the client has gone. */
  signal: AbortSignal;
  transport: Transport;
}

export interface RouteSpec<Query, Body> {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** With `{name}` for parameters. */
  path: string;
  summary: string;
  query?: Schema<Query>;
  /** JSON that is checked, or `bytes` as they come. */
  body?: Schema<Body> | "bytes";
  /** Content types of bytes that mean something by it; others are taken, too. */
  bodyTypes?: readonly string[];
  maxBodyBytes?: number;
  /** What `data` is; or the content type of an answer without an envelope. */
  answer: Schema<unknown> | { contentType: string };
  /** What it can be asked to answer with instead, without an envelope. */
  otherTypes?: readonly string[];
  /** Not offered over TCP. */
  localOnly?: boolean;
  /** About the machine it is asked of; `?peer=` asks another one. */
  perMachine?: boolean;
  run(call: Call<Query, Body>): unknown;
}

export type Route = RouteSpec<never, never>;

/** Ties the handler's types to the declaration. */
export function route<Query = undefined, Body = undefined>(spec: RouteSpec<Query, Body>): Route {
  return spec as unknown as Route;
}

/** A session of this machine or of a peer. */
const MUX_SESSION_ID = /^(sess-[a-z0-9]{8})(?:@[a-z0-9][a-z0-9-]{0,62}){0,4}$/;
const UNIFIED_ID = /^[a-z][a-z0-9-]{0,31}:[^\u0000-\u001f\u007f]{1,512}$/;

/** What each parameter may look like. Nothing else ever reaches a path, a URL or a store. */
export const PARAMETERS: Readonly<Record<string, { description: string; isValid(text: string): boolean }>> = {
  id: { description: "a session's id", isValid: (text) => isSessionId(MUX_SESSION_ID.exec(text)?.[1] ?? "") },
  peer: { description: "a peer's name", isValid: (text) => PeerName.safeParse(text).success },
  unifiedId: { description: "<agent>:<native id>", isValid: (text) => UNIFIED_ID.test(text) },
};
