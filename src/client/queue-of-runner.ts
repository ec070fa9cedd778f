/** The queue of a running session, as its runner keeps it. */
import { PromptQueueAnswer, type QueueAct } from "../protocol/queue.ts";
import { askRunner, type RunnerRequest } from "./runner-http.ts";
import { toldBy } from "./send-to-session.ts";

/** Throws `SESSION_NOT_FOUND` if the session does not run. */
export async function actOnQueue(socket: string, act: QueueAct): Promise<PromptQueueAnswer> {
  return PromptQueueAnswer.parse(toldBy(await askRunner(socket, requestOf(act))));
}

function requestOf(act: QueueAct): RunnerRequest {
  const path = "/queue";
  switch (act.kind) {
    case "add":
      return { method: "POST", path, body: JSON.stringify(act.request) };
    case "change":
      return { method: "PUT", path, body: JSON.stringify(act.change) };
    case "remove":
      return { method: "DELETE", path: `${path}?item=${encodeURIComponent(act.item)}` };
    default:
      return { method: "GET", path };
  }
}
