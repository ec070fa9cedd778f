/** The HTTP API as one function from request to answer, independent of listeners. */
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Context } from "hono";
import type { ServerResponse } from "node:http";
import { wellFormedJson } from "../../lib/text/text.ts";
import { ERROR_STATUS, type DaemonErrorCode } from "../../protocol/daemon-api.ts";
import { SHARED_PATH } from "../../protocol/share-links.ts";
import { PeerName } from "../../protocol/peers.ts";
import type { Peers } from "../peers/peers.ts";
import { Problem, problemFrom } from "../problem.ts";
import { StreamedAnswer, EncodedAnswer } from "./answers.ts";
import type { Gate, Transport } from "./gate.ts";
import { apiHeaders } from "./headers.ts";
import { openApiDocument } from "./openapi.ts";
import { checked, readBytes, readJson } from "./request-body.ts";
import { PARAMETERS, route, type Call, type Route } from "./route.ts";

export interface Bindings {
  transport: Transport;
  /** The connection's response. */
  outgoing: ServerResponse;
}

const DEFAULT_BODY_BYTES = 64 * 1024;

export interface AppParts {
  gate: Gate;
  routes: readonly Route[];
  version: string;
  /** Forwards to other machines. */
  peers: Pick<Peers, "forward" | "forwardTo">;
  onFailure(error: unknown, request: Request): void;
  /** Everything outside of the API: the page. */
  page(path: string, request: Request): Response;
  /** What share links open; `address` is the client's. */
  shared(request: { path: string; method: string; address: string }): Response;
}

export type App = Hono<{ Bindings: Bindings }>;

export function createApp({ gate, routes, version, peers, onFailure, page, shared }: AppParts): App {
  const app: App = new Hono();
  const all = [...routes, describing(routes, version)];
  app.use(async (context, next) => {
    const verdict = gate.judge(knockOf(context));
    if (!verdict.admitted) return failure(verdict.code, verdict.message);
    await next();
    return undefined;
  });
  for (const route of all) {
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ":$1"), (context) => answer(route, context, peers));
  }
  app.notFound((context) => notFound(context, all, { page, shared }));
  app.onError((error, context) => {
    const problem = problemFrom(error);
    if (problem === undefined) onFailure(error, context.req.raw);
    return problem === undefined ? failure("internal", "The daemon failed.") : failure(problem.code, problem.message);
  });
  return app;
}

/** The route that describes the others, and itself. */
function describing(routes: readonly Route[], version: string): Route {
  const self: Route = route({
    method: "GET",
    path: "/v1/openapi.json",
    summary: "This document",
    answer: { contentType: "application/json" },
    run: () => json(JSON.stringify(openApiDocument([...routes, self], version))),
  });
  return self;
}

function knockOf(context: Context<{ Bindings: Bindings }>): Parameters<Gate["judge"]>[0] {
  return {
    transport: context.env.transport,
    method: context.req.method,
    path: context.req.path,
    isUpgrade: false,
    header: (name) => context.req.header(name),
  };
}

async function answer(
  route: Route,
  context: Context<{ Bindings: Bindings }>,
  peers: AppParts["peers"],
): Promise<Response> {
  const { transport, outgoing } = context.env;
  if (route.localOnly === true && transport !== "unix") {
    throw new Problem("local_only", "This is only offered on the Unix socket.");
  }
  const elsewhere = await answerElsewhere(route, context, peers);
  if (elsewhere !== undefined) return withHeaders(elsewhere);
  const call: Call<never, never> = {
    params: paramsOf(context),
    query: (route.query === undefined ? undefined : checked(route.query, context.req.query(), "query")) as never,
    body: (await bodyOf(route, context)) as never,
    get request() {
      return context.req.raw;
    },
    // Created on demand: most answers are ready before a client could leave.
    get signal() {
      return context.req.raw.signal;
    },
    transport,
  };
  const data = await route.run(call);
  if (data instanceof EncodedAnswer) return json(data.bytes);
  if (data instanceof StreamedAnswer) return endless(data, context.req.method, outgoing);
  return data instanceof Response
    ? withHeaders(data)
    : json(`{"ok":true,"data":${wellFormedJson(JSON.stringify(data ?? null))}}`);
}

const OF_SESSION = "/v1/sessions/{id}/";

/** Forwards a request about another machine; undefined if it is local. */
async function answerElsewhere(
  route: Route,
  context: Context,
  peers: AppParts["peers"],
): Promise<Response | undefined> {
  const id = context.req.param("id");
  const { searchParams, pathname } = new URL(context.req.raw.url);
  const peer = route.perMachine === true ? searchParams.get("peer") : null;
  const isOfPeer = id?.includes("@") === true && route.path.startsWith(OF_SESSION);
  if (!isOfPeer && peer === null) return undefined;
  paramsOf(context);
  const { method, body, maxBodyBytes = DEFAULT_BODY_BYTES } = route;
  const { raw } = context.req;
  searchParams.delete("peer");
  const request = {
    method,
    search: searchParams.size === 0 ? "" : `?${searchParams.toString()}`,
    headers: raw.headers,
    body: body === undefined ? undefined : await readBytes(raw, maxBodyBytes),
    signal: raw.signal,
  };
  if (isOfPeer) return peers.forward(id, route.path.slice(OF_SESSION.length - 1), request);
  if (!PeerName.safeParse(peer).success) throw new Problem("bad_request", "query.peer: is not the name of a peer.");
  return peers.forwardTo(peer!, pathname, request);
}

function paramsOf(context: Context): Record<string, string> {
  const params: Record<string, string> = context.req.param();
  for (const [name, value] of Object.entries(params)) {
    if (PARAMETERS[name]?.isValid(value) !== true) throw new Problem("bad_request", `${name} is not valid.`);
  }
  return params;
}

async function bodyOf({ body, maxBodyBytes = DEFAULT_BODY_BYTES }: Route, { req }: Context): Promise<unknown> {
  if (body === undefined) return undefined;
  return body === "bytes" ? readBytes(req.raw, maxBodyBytes) : readJson(req.raw, body, maxBodyBytes);
}

function notFound(
  context: Context<{ Bindings: Bindings }>,
  routes: readonly Route[],
  { page, shared }: Pick<AppParts, "page" | "shared">,
): Response {
  const { path, method } = context.req;
  const isPage = !path.startsWith("/v1/") && !path.startsWith("/ws/");
  if (isPage && (method === "GET" || method === "HEAD")) {
    if (!path.startsWith(SHARED_PATH)) return page(path, context.req.raw);
    return shared({ path, method, address: context.env.outgoing.socket?.remoteAddress ?? "" });
  }
  const methods = routes.filter((route) => patternOf(route.path).test(path)).map((route) => route.method);
  if (methods.length > 0) return failure("method_not_allowed", `${path} takes ${[...new Set(methods)].join(", ")}.`);
  return failure("not_found", `There is nothing at ${path}.`);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

function failure(code: DaemonErrorCode, message: string): Response {
  return json(JSON.stringify({ ok: false, error: { code, message } }), ERROR_STATUS[code]);
}

function json(text: string | Uint8Array<ArrayBuffer>, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": "application/json", ...apiHeaders() } });
}

function endless({ contentType, begin }: StreamedAnswer, method: string, outgoing: ServerResponse): Response {
  const headers = { "content-type": contentType, ...apiHeaders() };
  if (method === "HEAD") return new Response(null, { headers });
  outgoing.writeHead(200, headers);
  begin(outgoing);
  return RESPONSE_ALREADY_SENT;
}

function withHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(apiHeaders())) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}
