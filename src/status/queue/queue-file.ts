/** The file of a session's queue. Whoever holds the session's lock writes it: its runner, or between two of them a client. */
import { AgentMuxError } from "../../core/errors.ts";
import type { StoredPrompt, StoredQueue } from "../../core/queue.ts";
import { writeFileDurable } from "../../lib/fs/atomic-file.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { storedQueueShape } from "../../protocol/queue-input.ts";
import { check } from "../../protocol/shape.ts";
import { isStoredWhen } from "./when.ts";

const NO_DAY = "0000-00-00";
const DAY = /^\d{4}-\d{2}-\d{2}$/;

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
  const wrong = wrongTime(checked.value.items);
  if (wrong !== undefined) throw damaged(path, wrong);
  return checked.value;
}

/** What is wrong with the times of stored prompts: others would never be due, or at once. */
export function wrongTime(items: readonly StoredPrompt[]): string | undefined {
  for (const { id, when, created_at, due_at, slot } of items) {
    const isTime = [created_at, due_at ?? created_at].every((text) => !Number.isNaN(Date.parse(text)));
    if (!isTime || !isStoredWhen(when) || !DAY.test(slot ?? NO_DAY)) return `a time of ${id} is not valid`;
  }
  return undefined;
}

export function writeQueue(path: string, queue: StoredQueue): void {
  writeFileDurable(path, `${JSON.stringify(queue, undefined, 2)}\n`);
}

function damaged(path: string, why: string): AgentMuxError {
  return new AgentMuxError("CONFIG_ERROR", `The queue in ${path} cannot be used: ${why}. Repair or remove it.`);
}
