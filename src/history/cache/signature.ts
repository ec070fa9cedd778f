/** Signatures of a session's files at the time of listing: equal signatures mean equal contents. */
import type { SessionSource } from "../../agents/adapter.ts";
import { digestOf } from "../../lib/values/digest.ts";
import { SETTLING_MS, type FileStat } from "../../lib/fs/directory.ts";

/** Signature of a session and of the sessions its conversation begins in. Without names: a moved file is the same file. */
export function signatureOf(sources: readonly (SessionSource | undefined)[]): string {
  return joinedSignature(sources.map((source) => source && stampedFiles(source).map(stampOf).join(" ")));
}

/** The same from single signatures; undefined for a session that is gone. */
export function joinedSignature(signatures: readonly (string | undefined)[]): string {
  return signatures.map((signature) => signature ?? "gone").join(" < ");
}

/** The inputs of a signature: the session's files and, as one more entry, facts about it from elsewhere. */
function stampedFiles({ files, elsewhere }: SessionSource): readonly FileStat[] {
  if (elsewhere === undefined) return files;
  const ino = Number.parseInt(digestOf(elsewhere).slice(0, DIGITS), 16) || 1;
  return [...files, { path: elsewhere, size: 0, mtimeMs: 0, ino }];
}

/** The part of a digest that a number holds exactly. */
const DIGITS = 13;

function stampOf({ path, size, mtimeMs, ino }: FileStat): string {
  // File systems without inodes: fall back to the name.
  return `${ino === undefined || ino === 0 ? path : ino.toString(36)}:${size}:${mtimeMs}`;
}

/** Whether the signatures differ only in inodes. */
export function isSameButNumbers(a: string, b: string): boolean {
  return a.replaceAll(FILE_NUMBER, "") === b.replaceAll(FILE_NUMBER, "");
}

/** Matches the inode before size and time. External facts have neither; their hash stands in its place. */
const FILE_NUMBER = /(?<=^| )[0-9a-z]+:(?!0:0(?: |$))/g;

export function isSettled(source: SessionSource, now = Date.now()): boolean {
  return source.files.every(({ mtimeMs }) => now - mtimeMs > SETTLING_MS || mtimeMs > now);
}

/** Converts a source to plain data. */
export function plainSource(source: SessionSource): SessionSource {
  const { sessionId, path, files, updatedMs, locator, elsewhere } = source;
  const stats = files.map(({ path: file, size, mtimeMs, ino = 0 }) => ({ path: file, size, mtimeMs, ino }));
  return { sessionId, path, files: stats, updatedMs, locator: plainLocator(locator), elsewhere };
}

/** Evaluates lazy properties too. */
function plainLocator(locator: unknown): unknown {
  const { toJSON } = (locator ?? {}) as { toJSON?: () => unknown };
  return typeof toJSON === "function" ? toJSON.call(locator) : locator;
}
