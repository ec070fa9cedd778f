/** A session's queue of prompts: from its runner while it runs, else through the daemon, else from its files. */
import { DaemonMissing } from "../../client/daemon-client.ts";
import { askQueue } from "../../client/queue-of-daemon.ts";
import { actOnQueue } from "../../client/queue-of-runner.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { PromptQueueAnswer, QueueAct } from "../../protocol/queue.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { splitRemoteId } from "../../protocol/session-id.ts";
import { actOnStored } from "../../status/queue/stored-queue.ts";
import type { TuiServices } from "../services.ts";

export async function queueAct(
  { places, daemon }: TuiServices,
  sessionId: string,
  act: QueueAct,
): Promise<PromptQueueAnswer> {
  if (splitRemoteId(sessionId) !== undefined) return askQueue(daemon, sessionId, act);
  const files = sessionFiles(places, sessionId);
  try {
    return await actOnQueue(files.socket, act);
  } catch (error) {
    if (!(error instanceof AgentMuxError) || error.code !== "SESSION_NOT_FOUND") throw error;
  }
  try {
    return await askQueue(daemon, sessionId, act);
  } catch (error) {
    if (!(error instanceof DaemonMissing)) throw error;
    return actOnStored(sessionId, files, act, Date.now());
  }
}
