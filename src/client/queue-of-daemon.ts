/** The queue of a session through the daemon, which also knows ended sessions and other machines'. */
import type { AllQueues, PromptQueueAnswer, QueueAct, ScheduledPrompt } from "../protocol/queue.ts";
import type { DaemonRequest, DaemonTransport } from "./daemon-api.ts";

export function askQueue(daemon: DaemonTransport, id: string, act: QueueAct): Promise<PromptQueueAnswer> {
  return daemon.ask<PromptQueueAnswer>(requestOf(`/v1/sessions/${id}/queue`, act));
}

/** Prompts for which the daemon starts sessions, after the change. */
export async function askSchedule(
  daemon: DaemonTransport,
  act: Exclude<QueueAct, { kind: "add" }>,
): Promise<ScheduledPrompt[]> {
  if (act.kind !== "list") await daemon.ask<unknown>(requestOf("/v1/queues", act));
  return (await daemon.ask<AllQueues>({ method: "GET", path: "/v1/queues" })).scheduled;
}

function requestOf(path: string, act: QueueAct): DaemonRequest {
  switch (act.kind) {
    case "add":
      return { method: "POST", path, body: act.request };
    case "change":
      return { method: "PUT", path, body: act.change };
    case "remove":
      return { method: "DELETE", path: `${path}?item=${encodeURIComponent(act.item)}` };
    default:
      return { method: "GET", path };
  }
}
