/** The session's queue on the runner's socket. Every answer is the whole queue. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { QueueAct } from "../protocol/queue.ts";
import { queueChangeShape, queueRequestShape } from "../protocol/queue-input.ts";
import { json, spoken } from "./http-answer.ts";
import { given, HttpProblem } from "./http-request.ts";
import type { SessionPrompts } from "./session-prompts.ts";

/** The longest prompt with every character escaped. */
const QUEUE_BYTES = 1024 * 1024;

interface Exchange {
  url: URL;
  request: IncomingMessage;
  response: ServerResponse;
}

type Handler = (exchange: Exchange) => Promise<void>;

export function queueRoutes(prompts: () => SessionPrompts): Readonly<Record<string, Handler>> {
  const acting =
    (act: (exchange: Exchange) => QueueAct | Promise<QueueAct>): Handler =>
    async (exchange) => {
      const wanted = await act(exchange);
      json(exchange.response, await spoken(() => prompts().act(wanted)));
    };
  return {
    "GET /queue": acting(() => ({ kind: "list" })),
    "POST /queue": acting(async ({ request }) => ({
      kind: "add",
      request: await given(request, queueRequestShape, QUEUE_BYTES, "A prompt is {text, when?: a time}."),
    })),
    "PUT /queue": acting(async ({ request }) => ({
      kind: "change",
      change: await given(
        request,
        queueChangeShape,
        QUEUE_BYTES,
        "A change is {item?, text?, when?, paused?, again?: true}.",
      ),
    })),
    "DELETE /queue": acting(({ url }) => {
      const item = url.searchParams.get("item");
      if (item === null) throw new HttpProblem(400, "bad_request", "Name the prompt: ?item=q-….");
      return { kind: "remove", item };
    }),
  };
}
