/** How many prompts wait in a session's queue, and how many are held; absent means none. */
import { existsSync } from "node:fs";
import type { KnownSession } from "../../client/session-list.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { countsOf } from "../../status/queue/changes.ts";
import type { QueueCounts } from "../../status/queue/queue-words.ts";
import { storedQueue } from "../../status/queue/stored-queue.ts";
import { sessionDirectories } from "../mux/session-directories.ts";

export function shownCounts({ queued = 0, queue_held = 0 }: QueueCounts): QueueCounts {
  return { ...(queued > 0 ? { queued } : {}), ...(queue_held > 0 ? { queue_held } : {}) };
}

/** Of an ended session from its file, which a killed runner may not have counted. */
export function queueCounts({ meta, alive }: KnownSession): QueueCounts {
  const files = sessionFiles(sessionDirectories(), meta.id);
  if (alive || !existsSync(files.queue)) return shownCounts(meta);
  try {
    return shownCounts(countsOf(storedQueue(files)));
  } catch (error) {
    // Damaged: the queue's own commands say so.
    if (error instanceof AgentMuxError) return {};
    throw error;
  }
}
