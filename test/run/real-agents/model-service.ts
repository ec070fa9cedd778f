/** A model service on loopback that speaks the vendors' protocols and replaces nothing else. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { anthropic } from "./anthropic-dialect.ts";
import { chat } from "./chat-dialect.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini-dialect.ts";
import { responses } from "./responses-dialect.ts";
import { ScriptedModel } from "./scripted-model.ts";

const DIALECTS: readonly Dialect[] = [anthropic, responses, chat, gemini];

export interface ModelService {
  url: string;
  model: ScriptedModel;
  /** Requests that nothing here answers, shown when a test fails. */
  strange: string[];
  close(): Promise<void>;
}

/** `headers` go with every answer. */
export async function startModelService(headers: Record<string, string> = {}): Promise<ModelService> {
  const model = new ScriptedModel();
  const strange: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      strange.push(`${request.method} ${request.url}: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    model,
    strange,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://service").pathname;
    const dialect = request.method === "POST" ? DIALECTS.find(({ takes }) => takes.test(path)) : undefined;
    if (!dialect) {
      if (request.method === "POST") strange.push(`${request.method} ${request.url}`);
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const body = JSON.parse(await readAll(request)) as Record<string, unknown>;
    const name = dialect.modelOf(body, path);
    const given = model.answer(dialect.read(body), name, JSON.stringify(body));
    if (given.kind === "refusal") {
      const { status, message, retryAfterSeconds } = given;
      response
        .writeHead(status, {
          ...headers,
          "content-type": "application/json",
          ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
        })
        .end(JSON.stringify(dialect.refusal(status, message)));
      return;
    }
    if (!dialect.streams(body, path)) {
      response
        .writeHead(200, { ...headers, "content-type": "application/json" })
        .end(JSON.stringify(dialect.whole(given, name)));
      return;
    }
    response.writeHead(200, { ...headers, "content-type": "text/event-stream", "cache-control": "no-cache" });
    for (const { event, data } of dialect.pieces(given, name)) {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`);
    }
    // A stalling model leaves its answer open; the client has to hang up.
    if (given.kind !== "stall") response.end();
  }
}
