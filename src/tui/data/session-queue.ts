/** A session's queue of prompts: from its runner while it runs, else through the daemon, else from its files. */
import { DaemonMissing } from "../../client/daemon-client.ts";
import { askQueue, askSchedule } from "../../client/queue-of-daemon.ts";
import { actOnQueue } from "../../client/queue-of-runner.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { PromptQueueAnswer, QueueAct, ScheduledPrompt } from "../../protocol/queue.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { splitRemoteId } from "../../protocol/session-id.ts";
import { readSchedule, shownSchedule } from "../../status/queue/schedule-file.ts";
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

/** Prompts that start sessions. They are listed without the daemon too, but only it changes them. */
export async function scheduleAct(
  { places, daemon }: TuiServices,
  act: Exclude<QueueAct, { kind: "add" }>,
): Promise<ScheduledPrompt[]> {
  if (act.kind !== "list") return askSchedule(daemon, act);
  const now = Date.now();
  return readSchedule(places.home).map((item) => shownSchedule(item, now));
}
