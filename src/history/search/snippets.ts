/** Selects the few matching messages to show, with a snippet of each. */
import type { MessageRole } from "../../core/session.ts";
import { withoutControls } from "../../lib/text/text.ts";
import type { DocumentMessage, Part } from "./document.ts";

/** A stretch of a text, in UTF-16 units. */
export interface Stretch {
  start: number;
  end: number;
}

export interface Place {
  messageIndex: number;
  role: MessageRole;
  timestamp?: Date;
  /** Id of the sub-agent whose transcript contains the message. */
  subagent?: string;
  part: Part["kind"];
  tool?: string;
  /** The text around the words, on one line. */
  snippet: string;
  /** The words in the snippet. */
  marks: Stretch[];
}

const MAX_PLACES = 5;
const SNIPPET_LENGTH = 160;
/** A snippet extends at most this far beyond the first word, or its end. */
const SNIPPET_REACH = 2 * SNIPPET_LENGTH;
/** Text shown before the first word. */
const LEAD = 60;
/** Limit per message: a long output can contain a word thousands of times. */
const MAX_STRETCHES = 64;

interface PartFinds {
  part: Part;
  leaves: Set<number>;
  stretches: Stretch[];
}

interface MessageFinds {
  message: DocumentMessage;
  leaves: Set<number>;
  parts: PartFinds[];
}

/** Keeps the messages that match the most leaves; ties go to the first. */
export class BestMessages {
  readonly #kept: MessageFinds[] = [];
  #current: MessageFinds | undefined;

  see(message: DocumentMessage, part: Part, leaf: number, start: number, end: number): void {
    if (this.#current?.message !== message) {
      this.#settle();
      this.#current = { message, leaves: new Set(), parts: [] };
    }
    const current = this.#current!;
    current.leaves.add(leaf);
    let finds = current.parts.at(-1);
    if (finds?.part !== part) {
      finds = { part, leaves: new Set(), stretches: [] };
      current.parts.push(finds);
    }
    finds.leaves.add(leaf);
    if (finds.stretches.length < MAX_STRETCHES) finds.stretches.push({ start, end });
  }

  #settle(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    if (this.#kept.length === MAX_PLACES) {
      const weakest = lastWithFewest(this.#kept);
      if (this.#kept[weakest]!.leaves.size >= current.leaves.size) return;
      this.#kept.splice(weakest, 1);
    }
    this.#kept.push(current);
  }

  /** Whether no later message can be better: all kept ones match this many leaves. */
  isFull(leaves: number): boolean {
    const kept = this.#kept.filter((finds) => finds.leaves.size >= leaves).length;
    return kept + (this.#current && this.#current.leaves.size >= leaves ? 1 : 0) >= MAX_PLACES;
  }

  best(): Place[] {
    this.#settle();
    return this.#kept.map(placeOf);
  }
}

function lastWithFewest(finds: readonly MessageFinds[]): number {
  const fewest = Math.min(...finds.map(({ leaves }) => leaves.size));
  return finds.findLastIndex(({ leaves }) => leaves.size === fewest);
}

function placeOf({ message, parts }: MessageFinds): Place {
  const { index, role, timestamp, subagent } = message;
  const most = Math.max(...parts.map(({ leaves }) => leaves.size));
  const { part, stretches } = parts.find(({ leaves }) => leaves.size === most)!;
  return {
    messageIndex: index,
    role,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(subagent === undefined ? {} : { subagent }),
    part: part.kind,
    ...(part.tool === undefined ? {} : { tool: part.tool }),
    ...snippetOf(part.text, stretches),
  };
}

interface Snippet {
  snippet: string;
  marks: Stretch[];
}

/** A part of the text on one line, starting shortly before the first match, with its matches. */
export function snippetOf(text: string, stretches: readonly Stretch[]): Snippet {
  const ordered = stretches.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const first = ordered[0] ?? { start: 0, end: 0 };
  const from = wordStart(text, Math.max(0, first.start - LEAD), first.start);
  const to = Math.min(text.length, Math.max(from + SNIPPET_REACH, first.end));
  let line = from > 0 ? "…" : "";
  let at = from;
  const marks: Stretch[] = [];
  for (const { start, end } of ordered) {
    if (start < at || end > to || line.length >= SNIPPET_LENGTH) continue;
    line = withPiece(line, text.slice(at, start));
    const markStart = line.length;
    line = withPiece(line, text.slice(start, end));
    marks.push({ start: markStart, end: line.length });
    at = end;
  }
  const room = Math.max(0, SNIPPET_LENGTH - line.length);
  const end = Math.min(to, at + 2 * room);
  const whole = withPiece(line, text.slice(at, end));
  if (whole.length - line.length > room) {
    line += `${withoutHalf(whole.slice(line.length, line.length + room)).trimEnd()}…`;
  } else line = end < text.length ? `${whole}…` : whole;
  return { snippet: line, marks };
}

function wordStart(text: string, from: number, limit: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, limit).search(/\s/);
  const start = space === -1 ? from : from + space + 1;
  // Do not split a surrogate pair.
  const unit = text.charCodeAt(start);
  return unit >= 0xdc00 && unit <= 0xdfff ? start + 1 : start;
}

/** Drops a high surrogate at the end. */
function withoutHalf(text: string): string {
  const unit = text.charCodeAt(text.length - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? text.slice(0, -1) : text;
}

/** Appends a part to the line: white space collapsed, control characters removed. */
function withPiece(line: string, piece: string): string {
  const clean = withoutControls(piece.replace(/\s+/g, " "));
  const isAtBlank = clean.startsWith(" ") && (line === "" || line.endsWith(" ") || line.endsWith("…"));
  return line + (isAtBlank ? clean.trimStart() : clean);
}
