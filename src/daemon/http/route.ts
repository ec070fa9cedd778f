/**
 * A route is declared once: address, input and output. Handler types, checks and the OpenAPI document come from the declaration.
 */
import type * as z from "zod/mini";
import { CHANNEL_ID } from "../../protocol/notify.ts";
import { PeerName } from "../../protocol/peers.ts";
import { ShareLinkId } from "../../protocol/share-links.ts";
import { ENTRY_ID } from "../../protocol/session-id.ts";
import type { Transport } from "./gate.ts";

type Schema<Value> = z.ZodMiniType<Value>;

export interface Call<Query, Body> {
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  request: Request;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
  transport: Transport;
}

export interface RouteSpec<Query, Body> {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** With `{name}` for parameters. */
  path: string;
  summary: string;
  query?: Schema<Query>;
  /** Validated JSON, or raw `bytes`. */
  body?: Schema<Body> | "bytes";
  /** Content types with a meaning; others are accepted too. */
  bodyTypes?: readonly string[];
  maxBodyBytes?: number;
  /** Schema of `data`, or the content type of an answer without an envelope. */
  answer: Schema<unknown> | { contentType: string };
  /** Alternative content types, without an envelope. */
  otherTypes?: readonly string[];
  /** Not offered over TCP. */
  localOnly?: boolean;
  /** About the receiving machine; `?peer=` asks another one. */
  perMachine?: boolean;
  run(call: Call<Query, Body>): unknown;
}

export type Route = RouteSpec<never, never>;

/** Connects the handler's types to the declaration. */
export function route<Query = undefined, Body = undefined>(spec: RouteSpec<Query, Body>): Route {
  return spec as unknown as Route;
}

/** A local or remote session, or an entry of the attention list that can only be snoozed: no session has its id. */
const MUX_SESSION_ID = new RegExp(`^(?:sess-[a-z0-9]{8}|${ENTRY_ID})(?:@[a-z0-9][a-z0-9-]{0,62}){0,4}$`);
const UNIFIED_ID = /^[a-z][a-z0-9-]{0,31}:[^\u0000-\u001f\u007f]{1,512}$/;

/** Allowed form of each parameter. Nothing else reaches a path, a URL or a store. */
export const PARAMETERS: Readonly<Record<string, { description: string; isValid(text: string): boolean }>> = {
  id: { description: "a session's id", isValid: (text) => MUX_SESSION_ID.test(text) },
  peer: { description: "a peer's name", isValid: (text) => PeerName.safeParse(text).success },
  channel: { description: "a channel's id", isValid: (text) => CHANNEL_ID.test(text) },
  link: { description: "a share link's id", isValid: (text) => ShareLinkId.safeParse(text).success },
  agent: { description: "an agent's name", isValid: (text) => /^[a-z][a-z0-9-]{0,31}$/.test(text) },
  unifiedId: { description: "<agent>:<native id>", isValid: (text) => UNIFIED_ID.test(text) },
};
