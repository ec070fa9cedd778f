/**
 * Limits that agents passed to their status line or wrote into their files, and refusals: `limits.jsonl` in amux's home, one line
 * for each change. Status lines append to it often and at the same time, so only the end is read and a line is one write.
 */
import { appendFileSync, closeSync, fstatSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { isSameReset, type LimitReading, type LimitWindow, type Refusal } from "../core/limits.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { codeOf } from "../lib/fs/directory.ts";
import { openForReading } from "../lib/fs/foreign-file.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { withLock } from "../lib/fs/with-lock.ts";
import { asNumber, asObject, asObjects, asText, asTime, type Json } from "../lib/json/fields.ts";
import { parseObject } from "../lib/json/json.ts";
import { optional } from "../lib/values/optional.ts";

/** Some weeks of every percent; beyond that the older half goes. */
const MAX_BYTES = 512 * 1024;

/** The last readings of the few accounts in use. */
const TAIL_BYTES = 32 * 1024;

/** A longer path or id is not worth a place in the file. */
const MAX_NAME = 1024;

/** The longest window is a month. A reset later than that is damaged, and would hide every true one. */
const MAX_AHEAD_MS = 35 * 86_400_000;

const KEPT_MS = 35 * 86_400_000;

/** Figures differ by fractions between two answers; a smaller step is not worth a line. */
const STEP_PERCENT = 0.5;

/** In words, the time of the reset has no minutes. */
const SAME_REFUSAL_MS = 3_600_000;

/** Another process needs a millisecond. */
const PATIENCE_MS = 100;

export function limitsPath(home: string): string {
  return join(home, "limits.jsonl");
}

/** `account` is asked for only if there is something new. */
export function recordLimits(home: string, reading: LimitReading, account: () => string | undefined): void {
  if (reading.windows.length === 0 && reading.refusal === undefined) return;
  // Later ones are from before the clock was set back.
  const known = parsed(endOf(limitsPath(home), TAIL_BYTES)).filter(
    ({ agent, at }) => agent === reading.agent && at <= reading.at,
  );
  const hasOneAccount = new Set(known.map((other) => other.account)).size === 1;
  if (hasOneAccount && isRepeated(reading, known)) return;
  const own = { ...reading, ...optional("account", account()) };
  if (
    isNews(
      own,
      known.filter((other) => other.account === own.account),
    )
  )
    locked(home, () => append(home, [own]));
}

/** What is new in agents' own files, which are read again and again, also by two processes at once. */
export function keepReadings(home: string, readings: readonly LimitReading[], now: number): void {
  // Most looks bring nothing new, and need no lock.
  if (freshOf(recordedLimits(home, now), readings).length === 0) return;
  locked(home, () => append(home, freshOf(recordedLimits(home, now), readings)));
}

function freshOf(recorded: readonly LimitReading[], readings: readonly LimitReading[]): LimitReading[] {
  const known = [...recorded];
  return readings
    .toSorted((a, b) => a.at - b.at)
    .filter((reading) => {
      const { agent, account, refusal } = reading;
      // A hook names the account of a refusal that its transcript does not.
      const isAnyone = refusal !== undefined && account === undefined;
      const own = known.filter((other) => other.agent === agent && (isAnyone || other.account === account));
      const isLater = own.every((other) => other.refusal !== undefined || other.at < reading.at);
      const isNew = (isLater || refusal !== undefined) && isNews(reading, own);
      if (isNew) known.push(reading);
      return isNew;
    });
}

/** Without the lock, a line may be there twice, or be lost while the file is shortened; the next change brings it again. */
function locked(home: string, work: () => void): void {
  ensurePrivateDirectory(home);
  if (withLock(`${limitsPath(home)}.lock`, PATIENCE_MS, work) === undefined) work();
}

function append(home: string, readings: readonly LimitReading[]): void {
  if (readings.length === 0) return;
  const path = limitsPath(home);
  const lines = readings.map(({ session, cwd, ...rest }) => {
    const line = { ...rest, ...optional("session", short(session)), ...optional("cwd", short(cwd)) };
    return `${JSON.stringify(line)}\n`;
  });
  appendFileSync(path, lines.join(""), { mode: 0o600 });
  if (statSync(path).size > MAX_BYTES) shorten(path, readings.at(-1)!.at);
}

/** Oldest first; what cannot be read is skipped. */
export function recordedLimits(home: string, now: number): LimitReading[] {
  return parsed(endOf(limitsPath(home), MAX_BYTES)).filter(({ at }) => at > now - KEPT_MS && at <= now);
}

function shorten(path: string, now: number): void {
  const kept = parsed(endOf(path, MAX_BYTES)).filter(({ at }) => at > now - KEPT_MS);
  const newest = kept.slice(Math.floor(kept.length / 2)).map((reading) => `${JSON.stringify(reading)}\n`);
  writeFileAtomic(path, newest.join(""));
}

function short(name: string | undefined): string | undefined {
  return name !== undefined && name.length <= MAX_NAME ? name : undefined;
}

function isNews({ windows, refusal, at }: LimitReading, known: readonly LimitReading[]): boolean {
  if (refusal !== undefined) return !known.some((other) => isSameRefusal(other, { ...refusal, at }));
  return windows.some((window) => {
    const others = known.flatMap((reading) => reading.windows.filter((other) => other.window === window.window));
    return window.resetsAt === undefined
      ? !isAbout(others.at(-1), window)
      : !others.some((other) => covers(other, window));
  });
}

/** Told before, figure for figure: whose it is need not be asked. */
function isRepeated({ windows, refusal }: LimitReading, known: readonly LimitReading[]): boolean {
  if (refusal !== undefined) return false;
  return windows.every((window) => {
    const told = known.flatMap((reading) => reading.windows.filter((other) => other.window === window.window));
    // Without a reset, the same figure may be one of the next window.
    const recent = window.resetsAt === undefined ? told.slice(-1) : told;
    return recent.some((other) => isSameReset(other.resetsAt, window.resetsAt) && isAbout(other, window));
  });
}

/** An agent that is asked again is refused again. */
export function isSameRefusal({ refusal, at }: LimitReading, other: Refusal & Pick<LimitReading, "at">): boolean {
  return (
    refusal !== undefined &&
    (refusal.kind ?? other.kind) === (other.kind ?? refusal.kind) &&
    (refusal.resetsAt === undefined || other.resetsAt === undefined
      ? Math.abs(at - other.at) < SAME_REFUSAL_MS
      : Math.abs(refusal.resetsAt - other.resetsAt) < SAME_REFUSAL_MS)
  );
}

function isAbout(other: LimitWindow | undefined, { usedPercent }: LimitWindow): boolean {
  return other !== undefined && Math.abs(usedPercent - other.usedPercent) < STEP_PERCENT;
}

/** A process that idles repeats figures of a window that is over, or that were lower. */
function covers(other: LimitWindow, { usedPercent, resetsAt = 0 }: LimitWindow): boolean {
  return isSameReset(other.resetsAt, resetsAt)
    ? other.usedPercent > usedPercent - STEP_PERCENT
    : (other.resetsAt ?? 0) > resetsAt;
}

function endOf(path: string, maxBytes: number): string {
  let fd: number;
  try {
    fd = openForReading(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, size - bytes.length));
  } finally {
    closeSync(fd);
  }
}

function parsed(text: string): LimitReading[] {
  return text.split("\n").flatMap((line) => {
    const fields = parseObject(line);
    const [at, agent] = [asTime(fields?.["at"]), asText(fields?.["agent"])];
    if (fields === undefined || at === undefined || agent === undefined) return [];
    return [
      {
        at,
        agent,
        ...optional("account", asText(fields["account"])),
        ...optional("plan", asText(fields["plan"])),
        ...optional("session", asText(fields["session"])),
        ...optional("cwd", asText(fields["cwd"])),
        windows: asObjects(fields["windows"]).flatMap((window) => windowOf(window, at)),
        ...optional("refusal", refusalOf(asObject(fields["refusal"]), at)),
      },
    ];
  });
}

function refusalOf(fields: Json | undefined, at: number): Refusal | undefined {
  if (fields === undefined) return undefined;
  const resetsAt = asTime(fields["resetsAt"]);
  const isPossible = resetsAt !== undefined && resetsAt <= at + MAX_AHEAD_MS;
  return { ...optional("kind", short(asText(fields["kind"]))), ...(isPossible && { resetsAt }) };
}

function windowOf(fields: Json, at: number): LimitWindow[] {
  const [window, usedPercent] = [asText(fields["window"]), asNumber(fields["usedPercent"])];
  const [minutes, resetsAt] = [asNumber(fields["minutes"]), asTime(fields["resetsAt"])];
  if (window === undefined || usedPercent === undefined || usedPercent < 0) return [];
  if (resetsAt === undefined ? fields["resetsAt"] !== undefined : resetsAt > at + MAX_AHEAD_MS) return [];
  if (minutes !== undefined && !(minutes >= 1 && minutes * 60_000 <= MAX_AHEAD_MS)) return [];
  const more = { ...optional("minutes", minutes), ...optional("resetsAt", resetsAt) };
  return [{ window, usedPercent, ...more }];
}
