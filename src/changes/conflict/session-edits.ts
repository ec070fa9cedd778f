/** What a session edited lately, from its transcript. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { SessionMessage } from "../../core/session.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import { editTexts, type EditText } from "../blame/edit-text.ts";

export interface FileEdits {
  /** Texts of the touched lines without indentation: where they are in the file is not recorded. */
  lines: Set<string>;
  /** It was written as a whole. */
  isWhole: boolean;
  /** First and last edit; in milliseconds since the epoch. */
  first: number;
  last: number;
}

/** By absolute path. */
export type SessionEdits = Map<string, FileEdits>;

/** A session that edits more is not compared further. */
const MAX_FILES = 1000;
const MAX_LINES = 5000;
/** Shorter lines, such as a closing bracket, are everywhere. */
const MIN_LINE = 8;

/**
 * Adds the edits since `from`. A call counts once its result says that it succeeded; what a fork inherited does not. Messages
 * without a time count as made at `otherwise`.
 */
export async function addEdits(
  edits: SessionEdits,
  messages: Iterable<SessionMessage>,
  { cwd, from, otherwise }: { cwd: string; from: number; otherwise: number },
): Promise<void> {
  const yielder = new EventLoopYielder();
  const directories = new Map<string, string>();
  const waiting = new Map<string, { at: number; toolName: string; input: unknown }>();
  for (const { timestamp, toolCalls = [], toolResult, inherited } of messages) {
    await yielder.yieldIfDue();
    const at = timestamp?.getTime() ?? otherwise;
    if (inherited === true || at < from) continue;
    for (const { toolCallId, toolName, input } of toolCalls) waiting.set(toolCallId, { at, toolName, input });
    const call = toolResult && waiting.get(toolResult.toolCallId);
    if (call === undefined) continue;
    waiting.delete(toolResult!.toolCallId);
    if (toolResult!.isError === true) continue;
    for (const text of editTexts(call.toolName, call.input))
      addEdit(edits, resolvedPath(resolve(cwd, text.path), directories), text, call.at);
  }
}

/** git names directories as their links resolve, and two sessions may have come to one by different links. */
function resolvedPath(path: string, directories: Map<string, string>): string {
  const directory = dirname(path);
  let real = directories.get(directory);
  if (real === undefined) {
    try {
      real = realpathSync(directory);
    } catch {
      real = directory; // Gone by now.
    }
    directories.set(directory, real);
  }
  return join(real, basename(path));
}

function addEdit(edits: SessionEdits, path: string, text: EditText, at: number): void {
  const known = edits.get(path);
  if (known === undefined && edits.size >= MAX_FILES) return;
  const file = known ?? { lines: new Set<string>(), isWhole: false, first: at, last: at };
  edits.set(path, file);
  file.first = Math.min(file.first, at);
  file.last = Math.max(file.last, at);
  file.isWhole ||= text.isWhole;
  const removed = text.oldLines.filter((_, index) => text.isRemoved[index]);
  const added = text.newLines.filter((_, index) => text.isAdded[index]);
  for (const line of [...removed, ...added].map((each) => each.trim()))
    if (line.length >= MIN_LINE && file.lines.size < MAX_LINES) file.lines.add(line);
}

/** By their text. A file that was written whole has all of its lines touched. */
export function touchSameLines(a: FileEdits, b: FileEdits): boolean {
  if (a.isWhole || b.isWhole) return true;
  const [few, many] = a.lines.size < b.lines.size ? [a, b] : [b, a];
  for (const line of few.lines) if (many.lines.has(line)) return true;
  return false;
}
