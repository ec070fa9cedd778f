/**
 * Looks for a prompt in an agent's transcript, behind the place where it ended before the prompt was typed. Works with every agent
 * that appends JSON lines; other transcripts give no receipt.
 */
import { closeSync, fstatSync, readSync, statSync } from "node:fs";
import type { TranscriptMark } from "../../core/queue.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";
import { asObject, asTime, type Json } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import { withoutControls } from "../../lib/text/text.ts";

/** A prompt is written first; what follows it can be long. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Clocks of agents and records differ by less. */
const CLOCK_MS = 2000;

const MAX_DEPTH = 8;

/** For speed: any record of the user's has such a word. */
const OF_USER = /"(?:user|queue)/i;

/** Agents name the user's records in many ways: a role, a type, an event. A local command is one that Claude Code itself carries out. */
const NAME_FIELDS = ["role", "type", "subtype", "sessionUpdate"];
const USER = /^(?:user(?:[._-]?(?:message|prompt|input)(?:_chunk)?)?|queue-operation|local_command)$/i;

/** What a record of the user's can contain besides a prompt: results of tools, texts that a program wrote. */
const OTHER = /tool|function|result|output|image|reminder/i;
const NOT_TYPED = ["isMeta", "isSidechain", "isCompactSummary"];

/** Where agents put the words of a prompt. Others hold what a tool returned. */
const TEXT_FIELDS = ["message", "content", "text", "prompt", "parts", "data", "payload", "item", "params", "update"];

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
  // Behind the mark, one without a time is new; in a file that was not known, it may be old.
  const untimed = known === undefined ? Number.NEGATIVE_INFINITY : at;
  return recordsFrom(file, size).some(
    (record) => (asTime(record["timestamp"]) ?? untimed) >= at - CLOCK_MS && isPrompt(record, wanted, false, 0),
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

/** `isUsers`: a record around it is the user's. */
function isPrompt(value: unknown, wanted: string, isUsers: boolean, depth: number): boolean {
  if (typeof value === "string") return isUsers && isText(plain(value), wanted);
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.some((part) => isPrompt(part, wanted, isUsers, depth + 1));
  const fields = asObject(value);
  if (fields === undefined || NOT_TYPED.some((name) => fields[name] === true)) return false;
  const names = NAME_FIELDS.map((name) => fields[name]).filter((name) => typeof name === "string");
  const isOwn = isUsers || names.some((name) => USER.test(name));
  if (names.some((name) => OTHER.test(name) || (isUsers && name === "assistant"))) return false;
  return TEXT_FIELDS.some((name) => isPrompt(fields[name], wanted, isOwn, depth + 1));
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
