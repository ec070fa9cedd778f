/**
 * Limits that agents passed to their status line: `limits.jsonl` in amux's home, one line for each change. Status lines append to it
 * often and at the same time, so only the end is read and a line is one write.
 */
import { appendFileSync, closeSync, fstatSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { LimitReading, LimitWindow } from "../core/limits.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { codeOf } from "../lib/fs/directory.ts";
import { openForReading, readText } from "../lib/fs/foreign-file.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { withLock } from "../lib/fs/with-lock.ts";
import { asNumber, asObjects, asText, type Json } from "../lib/json/fields.ts";
import { parseObject } from "../lib/json/json.ts";
import { optional } from "../lib/values/optional.ts";

/** Some weeks of every percent; beyond that the older half goes. */
const MAX_BYTES = 512 * 1024;

/** The last readings of the few accounts in use. */
const TAIL_BYTES = 8 * 1024;

const KEPT_MS = 35 * 86_400_000;

/** Figures differ by fractions between two answers; a smaller step is not worth a line. */
const STEP_PERCENT = 0.5;

/** Another process needs a millisecond. */
const PATIENCE_MS = 100;

export function limitsPath(home: string): string {
  return join(home, "limits.jsonl");
}

/** `account` is asked for only if there is something new. */
export function recordLimits(home: string, reading: LimitReading, account: () => string | undefined): void {
  const path = limitsPath(home);
  const known = parsed(tailOf(path)).findLast(
    ({ agent, session }) => agent === reading.agent && session === reading.session,
  );
  if (reading.windows.length === 0 || (known !== undefined && isSame(known.windows, reading.windows))) return;
  ensurePrivateDirectory(home);
  const line = `${JSON.stringify({ ...reading, ...optional("account", account()) })}\n`;
  appendFileSync(path, line, { mode: 0o600 });
  if (statSync(path).size > MAX_BYTES) shorten(path, reading.at);
}

/** Oldest first; what cannot be read is skipped. */
export function recordedLimits(home: string, now: number): LimitReading[] {
  let text: string;
  try {
    text = readText(limitsPath(home), 4 * MAX_BYTES);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
  return parsed(text).filter(({ at }) => at > now - KEPT_MS && at <= now);
}

function shorten(path: string, now: number): void {
  // A line that another process appends at this moment may be lost; the next change brings it again.
  withLock(`${path}.lock`, PATIENCE_MS, () => {
    const kept = parsed(readText(path, 4 * MAX_BYTES)).filter(({ at }) => at > now - KEPT_MS);
    const newest = kept.slice(Math.floor(kept.length / 2)).map((reading) => `${JSON.stringify(reading)}\n`);
    writeFileAtomic(path, newest.join(""));
  });
}

function isSame(a: readonly LimitWindow[], b: readonly LimitWindow[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ window, usedPercent, resetsAt }, index) => {
      const other = b[index]!;
      return (
        window === other.window &&
        resetsAt === other.resetsAt &&
        Math.abs(usedPercent - other.usedPercent) < STEP_PERCENT
      );
    })
  );
}

function tailOf(path: string): string {
  let fd: number;
  try {
    fd = openForReading(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
  try {
    const bytes = Buffer.alloc(TAIL_BYTES);
    const start = Math.max(0, fstatSync(fd).size - TAIL_BYTES);
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, TAIL_BYTES, start));
  } finally {
    closeSync(fd);
  }
}

function parsed(text: string): LimitReading[] {
  return text.split("\n").flatMap((line) => {
    const fields = parseObject(line);
    const [at, agent] = [asNumber(fields?.["at"]), asText(fields?.["agent"])];
    if (fields === undefined || at === undefined || agent === undefined) return [];
    return [
      {
        at,
        agent,
        ...optional("account", asText(fields["account"])),
        ...optional("session", asText(fields["session"])),
        ...optional("cwd", asText(fields["cwd"])),
        windows: asObjects(fields["windows"]).flatMap(windowOf),
      },
    ];
  });
}

function windowOf(fields: Json): LimitWindow[] {
  const [window, usedPercent] = [asText(fields["window"]), asNumber(fields["usedPercent"])];
  if (window === undefined || usedPercent === undefined) return [];
  const more = {
    ...optional("minutes", asNumber(fields["minutes"])),
    ...optional("resetsAt", asNumber(fields["resetsAt"])),
  };
  return [{ window, usedPercent, ...more }];
}
