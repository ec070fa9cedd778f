/** The file of a session's queue. Whoever holds the session's lock writes it: its runner, or between two of them a client. */
import { AgentMuxError } from "../../core/errors.ts";
import type { StoredQueue } from "../../core/queue.ts";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { storedQueueShape } from "../../protocol/queue-input.ts";
import { check } from "../../protocol/shape.ts";

/** Empty if there is none. Throws if it is damaged: an empty queue would be written over it. */
export function readQueue(path: string): StoredQueue {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { items: [] };
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged(path, "is not JSON");
  }
  const checked = check(storedQueueShape, value);
  if (!checked.ok) throw damaged(path, checked.message);
  return checked.value;
}

export function writeQueue(path: string, queue: StoredQueue): void {
  writeFileAtomic(path, `${JSON.stringify(queue, undefined, 2)}\n`);
}

function damaged(path: string, why: string): AgentMuxError {
  return new AgentMuxError("CONFIG_ERROR", `The queue in ${path} cannot be used: ${why}. Repair or remove it.`);
}
