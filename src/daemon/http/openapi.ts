/** The OpenAPI document, from the declarations that run the API. */
import * as z from "zod/mini";
import { ERROR_STATUS } from "../../protocol/daemon-api.ts";
import { PARAMETERS, type Route } from "./route.ts";

type Json = Record<string, unknown>;

const ERROR: Json = {
  type: "object",
  required: ["ok", "error"],
  properties: {
    ok: { const: false },
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { enum: Object.keys(ERROR_STATUS) }, message: { type: "string" } },
    },
  },
};

const REFUSAL: Json = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };

const PEER_PARAMETER: Json = {
  name: "peer",
  in: "query",
  required: false,
  description: "sends the request to this linked machine",
  schema: { type: "string" },
};

export function openApiDocument(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "amux daemon", version, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "http://127.0.0.1:8790", description: "the daemon's default address" }],
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "amux-token" },
      },
      schemas: { Error: ERROR },
    },
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
  };
}

function operationOf(route: Route): Json {
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.localOnly === true ? { "x-local-only": true } : {}),
    parameters: [
      ...pathParameters(route.path),
      ...queryParameters(route),
      ...(route.perMachine === true ? [PEER_PARAMETER] : []),
    ],
    ...(route.body === undefined ? {} : { requestBody: { required: true, content: bodyContent(route) } }),
    responses: {
      200: { description: "as asked", content: answerContent(route) },
      "4XX": { description: "refused", content: REFUSAL },
      "5XX": { description: "failed", content: REFUSAL },
    },
  };
}

/** `postSessionsKill` from POST /v1/sessions/{id}/kill. */
function operationId({ method, path }: Route): string {
  const words = path
    .replace("/v1/", "/")
    .split(/[/{}-]+/)
    .filter((word) => word !== "" && !Object.hasOwn(PARAMETERS, word));
  const one = path.endsWith("}") ? "One" : "";
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("") + one;
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: PARAMETERS[name!]!.description,
    schema: { type: "string" },
  }));
}

function queryParameters({ query }: Route): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: "input" });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function bodyContent({ body, bodyTypes = [] }: Route): Json {
  if (body === undefined || body === "bytes") return typed(["application/octet-stream", ...bodyTypes]);
  return { "application/json": { schema: z.toJSONSchema(body, { io: "input" }) } };
}

function typed(types: readonly string[]): Json {
  return Object.fromEntries(types.map((type) => [type.split(";")[0], {}]));
}

function answerContent({ answer, otherTypes = [] }: Route): Json {
  if ("contentType" in answer) return typed([answer.contentType, ...otherTypes]);
  const data = z.toJSONSchema(answer, { unrepresentable: "any" });
  const schema = { type: "object", required: ["ok", "data"], properties: { ok: { const: true }, data } };
  // Exported JSON has no envelope.
  const isBoth = otherTypes.includes("application/json");
  return { ...typed(otherTypes), "application/json": { schema: isBoth ? { anyOf: [schema, {}] } : schema } };
}
