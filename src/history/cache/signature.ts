/** How a session's files stood when they were listed: equal signatures, equal contents. */
import type { SessionSource } from "../../agents/adapter.ts";
import { digestOf } from "../../lib/values/digest.ts";
import { SETTLING_MS, type FileStat } from "../../lib/fs/directory.ts";

/** Of the session and of those its conversation begins in. Names are left out: a moved file is still the same. */
export function signatureOf(sources: readonly (SessionSource | undefined)[]): string {
  return joinedSignature(sources.map((source) => source && stampedFiles(source).map(stampOf).join(" ")));
}

/** The same from the signature of each; undefined for one that is gone. */
export function joinedSignature(signatures: readonly (string | undefined)[]): string {
  return signatures.map((signature) => signature ?? "gone").join(" < ");
}

/** What a session is made of: its files and, as if that were one more, what is told of it elsewhere. */
function stampedFiles({ files, elsewhere }: SessionSource): readonly FileStat[] {
  if (elsewhere === undefined) return files;
  const ino = Number.parseInt(digestOf(elsewhere).slice(0, DIGITS), 16) || 1;
  return [...files, { path: elsewhere, size: 0, mtimeMs: 0, ino }];
}

/** Of a digest, that a number holds exactly. */
const DIGITS = 13;

function stampOf({ path, size, mtimeMs, ino }: FileStat): string {
  // Where the system does not number files, the name is all there is.
  return `${ino === undefined || ino === 0 ? path : ino.toString(36)}:${size}:${mtimeMs}`;
}

/** Whether they differ in the numbers of files alone. */
export function isSameButNumbers(a: string, b: string): boolean {
  return a.replaceAll(FILE_NUMBER, "") === b.replaceAll(FILE_NUMBER, "");
}

/** Before a size and a time; what is told elsewhere has neither, and its number is what it says. */
const FILE_NUMBER = /(?<=^| )[0-9a-z]+:(?!0:0(?: |$))/g;

export function isSettled(source: SessionSource, now = Date.now()): boolean {
  return source.files.every(({ mtimeMs }) => now - mtimeMs > SETTLING_MS || mtimeMs > now);
}

/** As plain data, whatever kind of object listed it. */
export function plainSource({ sessionId, path, files, updatedMs, locator }: SessionSource): SessionSource {
  const stats = files.map(({ path: file, size, mtimeMs, ino = 0 }) => ({ path: file, size, mtimeMs, ino }));
  return { sessionId, path, files: stats, updatedMs, locator: plainLocator(locator) };
}

/** One that finds things out when asked gives them all. */
function plainLocator(locator: unknown): unknown {
  const { toJSON } = (locator ?? {}) as { toJSON?: () => unknown };
  return typeof toJSON === "function" ? toJSON.call(locator) : locator;
}
