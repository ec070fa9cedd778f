/** The session's queue on the runner's socket. Every answer is the whole queue. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { MAX_PROMPT } from "../core/queue.ts";
import { codeOf } from "../lib/fs/directory.ts";
import type { QueueAct } from "../protocol/queue.ts";
import { queueChangeShape, queueRequestShape } from "../protocol/queue-input.ts";
import { json, spoken, unsaved } from "./http-answer.ts";
import { given, HttpProblem } from "./http-request.ts";
import type { SessionPrompts } from "./session-prompts.ts";

/** The longest prompt with every character escaped. */
const QUEUE_BYTES = 1024 * 1024;

const PROMPT_IS = `A prompt is {text, when?: a time}. The text has 1 to ${MAX_PROMPT} characters.`;

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
      json(exchange.response, await spoken(() => saved(() => prompts().act(wanted))));
    };
  return {
    "GET /queue": acting(() => ({ kind: "list" })),
    "POST /queue": acting(async ({ request }) => ({
      kind: "add",
      request: await given(request, queueRequestShape, QUEUE_BYTES, PROMPT_IS),
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

/** A change that is not on disk is refused, and nothing was changed. */
function saved<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    const isOfDisk = error instanceof Error && "syscall" in error;
    throw isOfDisk ? unsaved(codeOf(error)) : error;
  }
}
