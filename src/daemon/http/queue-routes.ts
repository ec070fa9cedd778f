/** Routes for queues of prompts. */
import * as z from "zod/mini";
import { everyQueue } from "../../client/every-queue.ts";
import {
  AllQueues,
  PromptQueueAnswer,
  QueueChange,
  QueueRequest,
  ScheduledPrompt,
  ScheduleRequest,
} from "../../protocol/queue.ts";
import type { PromptQueues } from "../actions/prompt-queues.ts";
import type { ScheduledPrompts } from "../live/scheduled-prompts.ts";
import { route, type Route } from "./route.ts";

/** The longest prompt with every character escaped. */
const MAX_QUEUE_BYTES = 1024 * 1024;

const Item = z.object({ item: z.string().check(z.maxLength(20)) });

export interface QueueRouteParts {
  queues: Pick<PromptQueues, "act" | "sessions">;
  scheduled: Pick<ScheduledPrompts, "list" | "add" | "change" | "remove">;
}

export function queueRoutes({ queues, scheduled }: QueueRouteParts): Route[] {
  return [...sessionQueueRoutes(queues), ...scheduleRoutes(queues, scheduled)];
}

function sessionQueueRoutes(queues: QueueRouteParts["queues"]): Route[] {
  const path = "/v1/sessions/{id}/queue";
  return [
    route({
      method: "GET",
      path,
      summary: "The session's queue of prompts, with receipts of the last delivered ones",
      answer: PromptQueueAnswer,
      run: ({ params }) => queues.act(params["id"]!, { kind: "list" }),
    }),
    route({
      method: "POST",
      path,
      summary: "Queues a prompt: the session gets it once, when it is idle, after a limit's reset, or at a time",
      body: QueueRequest,
      maxBodyBytes: MAX_QUEUE_BYTES,
      answer: PromptQueueAnswer,
      run: ({ params, body: request }) => queues.act(params["id"]!, { kind: "add", request }),
    }),
    route({
      method: "PUT",
      path,
      summary: "Changes, pauses or continues a queued prompt; without an item, the whole queue",
      body: QueueChange,
      maxBodyBytes: MAX_QUEUE_BYTES,
      answer: PromptQueueAnswer,
      run: ({ params, body: change }) => queues.act(params["id"]!, { kind: "change", change }),
    }),
    route({
      method: "DELETE",
      path,
      summary: "Removes a prompt from the queue",
      query: Item,
      answer: PromptQueueAnswer,
      run: ({ params, query: { item } }) => queues.act(params["id"]!, { kind: "remove", item }),
    }),
  ];
}

function scheduleRoutes(queues: QueueRouteParts["queues"], scheduled: QueueRouteParts["scheduled"]): Route[] {
  const common = { path: "/v1/queues", perMachine: true };
  return [
    route({
      ...common,
      method: "GET",
      summary: "All queues that are not empty, and the prompts for which sessions will be started",
      answer: AllQueues,
      run: () =>
        everyQueue(
          queues.sessions(),
          (id) => queues.act(id, { kind: "list" }),
          () => scheduled.list(),
        ),
    }),
    route({
      ...common,
      method: "POST",
      summary: "Starts a session with a prompt at a time, once or repeatedly",
      body: ScheduleRequest,
      maxBodyBytes: MAX_QUEUE_BYTES,
      answer: ScheduledPrompt,
      run: ({ body }) => scheduled.add(body),
    }),
    route({
      ...common,
      method: "PUT",
      summary: "Changes, pauses or continues a scheduled prompt",
      body: QueueChange,
      maxBodyBytes: MAX_QUEUE_BYTES,
      answer: ScheduledPrompt,
      run: ({ body }) => scheduled.change(body),
    }),
    route({
      ...common,
      method: "DELETE",
      summary: "Removes a scheduled prompt",
      query: Item,
      answer: z.null(),
      run: ({ query: { item } }) => scheduled.remove(item),
    }),
  ];
}
