/** Snoozed sessions: `snoozed.json` in amux's home. */
import { dirname } from "node:path";
import { AgentMuxError } from "../core/errors.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { asNumber, asObject } from "../lib/json/fields.ts";
import { withLock } from "../lib/fs/with-lock.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import type { AttentionItem } from "./attention.ts";
import { readText } from "../lib/fs/foreign-file.ts";

export interface Snooze {
  /** Milliseconds since the epoch. */
  at: number;
  until: number;
}

export type Snoozes = ReadonlyMap<string, Snooze>;

const PATIENCE_MS = 2000;

/** The list without snoozed sessions. Anything that began after the snooze is new and stays. */
export function withoutSnoozed<Item extends Pick<AttentionItem, "ref" | "since">>(
  items: readonly Item[],
  snoozes: Snoozes,
  now: number,
): Item[] {
  return items.filter(({ ref, since }) => {
    const snooze = snoozes.get(ref);
    return snooze === undefined || snooze.until <= now || since > snooze.at;
  });
}

export class SnoozeFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The snoozes still in effect. */
  read(now: number): Snoozes {
    let fields;
    try {
      fields = asObject(JSON.parse(readText(this.#path)));
    } catch {
      return new Map(); // Nothing was ever snoozed, or the file is damaged: then everything is shown.
    }
    return new Map(
      Object.entries(fields ?? {}).flatMap(([ref, value]) => {
        const at = asNumber(asObject(value)?.["at"]);
        const until = asNumber(asObject(value)?.["until"]);
        return at === undefined || until === undefined || until <= now ? [] : [[ref, { at, until }] as const];
      }),
    );
  }

  /** Undefined ends the snooze. */
  set(ref: string, until: number | undefined, now: number): void {
    ensurePrivateDirectory(dirname(this.#path));
    const done = withLock(`${this.#path}.lock`, PATIENCE_MS, () => {
      const snoozes = new Map(this.read(now));
      snoozes.delete(ref);
      if (until !== undefined) snoozes.set(ref, { at: now, until });
      writeFileAtomic(this.#path, `${JSON.stringify(Object.fromEntries(snoozes), null, 2)}\n`);
    });
    if (done === undefined)
      throw new AgentMuxError("CONFIG_LOCK_ERROR", `Another process is writing ${this.#path}; try again.`, {
        recoverable: true,
      });
  }
}
