/**
 * Looks for a prompt in an agent's transcript, behind the place where it ended before the prompt was typed. Works with every agent
 * that appends JSON lines; other transcripts give no receipt.
 */
import { closeSync, fstatSync, readSync, statSync } from "node:fs";
import type { TranscriptMark } from "../../core/queue.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";
import { asTime, type Json } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import { withoutControls } from "../../lib/text/text.ts";

/** A prompt is written first; what follows it can be long. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Clocks of agents and records differ by less. */
const CLOCK_MS = 2000;

const MAX_DEPTH = 8;

/** Agents name the user's records in many ways: a role, a type, an event. */
const OF_USER = /"(?:user|queue)/i;

export function transcriptMark(path: string | undefined, at: number): TranscriptMark {
  if (path === undefined) return { at };
  return { at, path, size: statSync(path, { throwIfNoEntry: false })?.size ?? 0 };
}

/** `path`: the transcript as it is known now, for a mark from before the agent named it. */
export function hasReceipt(
  { at, path: known, size = 0 }: TranscriptMark,
  path: string | undefined,
  text: string,
): boolean {
  const file = known ?? path;
  if (file === undefined) return false;
  const wanted = plain(text);
  const since = known === undefined ? at - CLOCK_MS : Number.NEGATIVE_INFINITY;
  return recordsFrom(file, size).some(
    (record) => (asTime(record["timestamp"]) ?? since) >= since && hasText(record, wanted, 0),
  );
}

function recordsFrom(path: string, from: number): Json[] {
  let fd: number;
  try {
    fd = openForReading(path);
  } catch {
    return []; // Not written yet, moved, or archived.
  }
  try {
    const bytes = Buffer.alloc(Math.min(MAX_BYTES, Math.max(0, fstatSync(fd).size - from)));
    const got = readSync(fd, bytes, 0, bytes.length, from);
    return bytes
      .toString("utf8", 0, got)
      .split("\n")
      .filter((line) => OF_USER.test(line))
      .map(parseObject)
      .filter((record) => record !== undefined);
  } finally {
    closeSync(fd);
  }
}

function hasText(value: unknown, wanted: string, depth: number): boolean {
  if (typeof value === "string") return isText(plain(value), wanted);
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return false;
  return Object.values(value).some((inner) => hasText(inner, wanted, depth + 1));
}

/** Claude Code writes a command as `<command-name>/compact</command-name>`. */
function isText(found: string, wanted: string): boolean {
  if (found === wanted) return true;
  const [command = ""] = wanted.split(" ");
  return wanted.startsWith("/") && found.includes(`<command-name>${command}</command-name>`);
}

/** Agents change spaces and line ends. */
function plain(text: string): string {
  return withoutControls(text.slice(0, MAX_BYTES).replaceAll(/\r\n?/g, "\n")).replaceAll(/\s+/g, " ").trim();
}
