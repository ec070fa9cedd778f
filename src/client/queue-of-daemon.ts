/** The queue of a session through the daemon, which also knows ended sessions and other machines'. */
import type { PromptQueueAnswer, QueueAct } from "../protocol/queue.ts";
import type { DaemonRequest, DaemonTransport } from "./daemon-api.ts";

export function askQueue(daemon: DaemonTransport, id: string, act: QueueAct): Promise<PromptQueueAnswer> {
  return daemon.ask<PromptQueueAnswer>(requestOf(`/v1/sessions/${id}/queue`, act));
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
