/** Prompts for which the daemon starts sessions: `scheduled.json` in amux's home. Only the daemon writes it. */
import { join } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import type { StoredSchedule } from "../../core/queue.ts";
import { writeFileDurable } from "../../lib/fs/atomic-file.ts";
import { settingsText } from "../../lib/fs/foreign-file.ts";
import { parseJson } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ScheduledPrompt } from "../../protocol/queue.ts";
import { storedScheduleShape } from "../../protocol/queue-input.ts";
import { check } from "../../protocol/shape.ts";
import { shownPrompt } from "./changes.ts";
import { wrongTime } from "./queue-file.ts";

/** Throws if it is damaged: an empty one would be written over it. */
export function readSchedule(home: string): StoredSchedule[] {
  const path = join(home, "scheduled.json");
  const text = settingsText(path);
  if (text === undefined) return [];
  const checked = check(storedScheduleShape, parseJson(text));
  const wrong = checked.ok ? wrongTime(checked.value.items) : checked.message;
  if (checked.ok && wrong === undefined) return checked.value.items;
  throw new AgentMuxError("CONFIG_ERROR", `${path} cannot be used: ${wrong}. Repair or remove it.`);
}

export function writeSchedule(home: string, items: readonly StoredSchedule[]): void {
  writeFileDurable(join(home, "scheduled.json"), `${JSON.stringify({ items }, undefined, 2)}\n`);
}

export function shownSchedule(item: StoredSchedule, now: number): ScheduledPrompt {
  const { agent, cwd, session } = item;
  return { ...shownPrompt(item, now), agent, cwd, ...optional("session", session) };
}
