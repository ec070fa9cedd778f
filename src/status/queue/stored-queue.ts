/** The queue of a session that does not run. Changed under the session's lock, for which a starting runner waits. */
import { existsSync } from "node:fs";
import { uptime } from "node:os";
import { dirname } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import type { StoredQueue } from "../../core/queue.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import { withLock } from "../../lib/fs/with-lock.ts";
import type { PromptQueueAnswer, QueueAct } from "../../protocol/queue.ts";
import type { SessionFiles } from "../../protocol/session-files.ts";
import { afterAct, shownQueue } from "./changes.ts";
import { UNKNOWN } from "./prompt-queue.ts";
import { readQueue, writeQueue } from "./queue-file.ts";
import { hasReceipt } from "./receipt.ts";

/** A runner that starts or ends, or another client, has the lock for milliseconds. */
const PATIENCE_MS = 300;

const WAKES = "The session has ended. The daemon resumes it when the prompt is due.";
const PAUSED = "The session has ended, and its queue is paused: nothing is sent before amux queue resume.";
const KILLED = "The session was killed, so its queue is paused: nothing is sent before amux queue resume.";

export function actOnStored(session: string, files: SessionFiles, act: QueueAct, now: number): PromptQueueAnswer {
  if (act.kind === "list") return shown(session, storedQueue(files), now);
  const after = changeStored(files, (queue) => afterAct(queue, act, now));
  if (after === undefined)
    throw new AgentMuxError("INVALID_STATE_TRANSITION", "The session is starting or ending just now. Try again.");
  return shown(session, after, now);
}

function shown(session: string, queue: StoredQueue, now: number): PromptQueueAnswer {
  const why = { user: PAUSED, killed: KILLED };
  return shownQueue(session, queue, now, () => (queue.paused === undefined ? WAKES : why[queue.paused]));
}

/** Undefined if a process of the session has the lock: nothing was changed. */
export function changeStored(
  files: SessionFiles,
  change: (queue: StoredQueue) => StoredQueue,
): StoredQueue | undefined {
  ensurePrivateDirectory(dirname(files.lock));
  return withLock(files.lock, PATIENCE_MS, () => {
    const after = change(storedQueue(files));
    writeQueue(files.queue, after);
    return after;
  })?.result;
}

/** After the user's kill, for a runner that could not note it itself. The daemon does not resume the session for its queue. */
export function pauseKilled(files: SessionFiles): void {
  if (!existsSync(files.queue)) return;
  try {
    const { items, paused, signal_at } = readQueue(files.queue);
    if (items.length === 0 || (paused !== undefined && signal_at === undefined)) return;
  } catch {
    return; // Damaged: nothing is sent from it, and the commands for it say so.
  }
  changeStored(files, ({ signal_at: _, ...queue }) => ({ ...queue, paused: queue.paused ?? "killed" }));
}

/** What its last process left in the middle is decided as the next one would do it. */
export function storedQueue({ queue: path }: Pick<SessionFiles, "queue">): StoredQueue {
  const queue = sinceBoot(readQueue(path));
  const items = queue.items.map((prompt): StoredQueue["items"][number] => {
    if (prompt.state !== "delivering") return prompt;
    const isWritten = prompt.mark !== undefined && hasReceipt(prompt.mark, undefined, prompt.text);
    // Left for the runner, which also continues a schedule.
    return isWritten ? prompt : { ...prompt, state: "held", note: UNKNOWN };
  });
  return { ...queue, items };
}

/** The signal of a machine that shut down was no kill. */
function sinceBoot(queue: StoredQueue): StoredQueue {
  const { paused, signal_at, ...rest } = queue;
  const bootedAt = Date.now() - uptime() * 1000;
  return paused === "killed" && signal_at !== undefined && Date.parse(signal_at) < bootedAt ? rest : queue;
}
