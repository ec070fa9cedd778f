/** Keeps a refusal that an agent tells its hook. */
import { writeSync } from "node:fs";
import { limitRefusal } from "../core/limit-refusal.ts";
import type { LimitReading } from "../core/limits.ts";
import { momentAt } from "../lib/values/zone-moment.ts";
import { recordLimits } from "../limits/limits-file.ts";

/** Anything but a used-up limit is ignored. */
export function recordRefusal(
  home: string,
  text: string,
  reading: LimitReading,
  account: () => string | undefined,
): void {
  const refusal = limitRefusal(text, reading.at, momentAt);
  if (refusal === undefined) return;
  try {
    recordLimits(home, { ...reading, refusal }, account);
  } catch (error) {
    writeSync(2, `amux: the refusal is not kept: ${String(error)}\n`);
  }
}
