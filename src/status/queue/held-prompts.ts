/** Prompts that amux does not send by itself: the user has to look and decide. */
import { existsSync } from "node:fs";
import type { StoredPrompt } from "../../core/queue.ts";
import type { HeldPrompt } from "../../core/held-prompt.ts";
import { sessionFiles, type SessionDirectories } from "../../protocol/session-files.ts";
import { readQueue } from "./queue-file.ts";
import { readSchedule } from "./schedule-file.ts";
import { storedQueue } from "./stored-queue.ts";

interface OwnSession {
  meta: { id: string; cwd: string };
  alive: boolean;
}

/** Of these sessions, and the scheduled ones. A damaged file has none: the commands for the queue say that it is damaged. */
export function heldPrompts(places: SessionDirectories, sessions: Iterable<OwnSession>): HeldPrompt[] {
  const found: HeldPrompt[] = [];
  for (const {
    meta: { id, cwd },
    alive,
  } of sessions) {
    const files = sessionFiles(places, id);
    if (!existsSync(files.queue)) continue;
    const items = unlessDamaged(() => (alive ? readQueue(files.queue) : storedQueue(files)).items);
    for (const prompt of items.filter(isHeld)) found.push({ ...heldOf(prompt), session: id, cwd });
  }
  for (const prompt of unlessDamaged(() => readSchedule(places.home)).filter(isHeld))
    found.push({ ...heldOf(prompt), agent: prompt.agent, cwd: prompt.cwd });
  return found;
}

function isHeld({ state }: StoredPrompt): boolean {
  return state === "held";
}

function heldOf({ id, text, note = "", held_at, mark, created_at }: StoredPrompt): Omit<HeldPrompt, "cwd"> {
  const since = Date.parse(held_at ?? "") || (mark?.at ?? (Date.parse(created_at) || 0));
  return { id, text, note, since };
}

function unlessDamaged<Item>(read: () => Item[]): Item[] {
  try {
    return read();
  } catch {
    return [];
  }
}
