/**
 * A recording without its secrets. A secret may be spread over many events and have colours inside, so the whole output is read
 * as one text, and each character keeps its place in its event. What is only whole on the screen is looked for there.
 */
import { AgentMuxError } from "../core/errors.ts";
import { errorText } from "../lib/text/error-text.ts";
import { sizeIn, type CastEvent, type Cast } from "../protocol/cast.ts";
import { BORDER_COLS, shownParts, type Placed, type ScreenPart } from "./cast-screen.ts";
import { MASK, UnreadableValue, type Finding, type Redactor } from "./redactor.ts";
import { doubtAbout } from "./unsure.ts";

/** What a viewer sees in place of each character. */
const SHOWN = "█";

/** Shorter beginnings of a secret are words that occur anywhere. */
const MIN_BEGINNING = 6;

export interface RedactedCast {
  cast: Cast;
  /** How many values were taken out. */
  redacted: number;
}

export function redactCast(cast: Cast, redactor: Redactor, takeUnsure = false): RedactedCast {
  const { header, events } = cast;
  const outputs = events.filter(({ kind }) => kind === "o");
  const all = outputs.map(({ text }) => text).join("");
  const { read, dropped } = readable(all);
  const hidden = new Set<number>();
  const secrets = new Set<string>();
  /** How many values are in the view that were not taken out already. */
  const look = ([view, at]: Placed): number => {
    const found: Finding[] = [];
    const masked = redactor.masked(view, "output", found);
    const doubt = takeUnsure ? undefined : doubtAbout(found);
    if (doubt !== undefined) throw refusal(`${doubt}; --take-unsure redacts it and keeps the rest`);
    let count = 0;
    for (const { index, 0: secret } of masked.matchAll(MASKED)) {
      const end = index + secret.length;
      secrets.add(view.slice(index, end));
      if (hide(at.subarray(index, end), hidden)) count++;
    }
    return count;
  };
  let redacted = 0;
  checked(() => {
    const lookAt = ({ placed, width }: ScreenPart): number => look(placed) + look(unwrapped(placed, width));
    redacted += lookAt({ placed: read, width: narrowest(cast) });
    for (const part of shownParts(cast, read)) redacted += lookAt(part);
  });
  hideBeginnings(read, secrets, hidden);
  let at = 0;
  const clean = events.map((event): CastEvent => {
    // What a user's marker says is not inspected.
    if (event.kind === "m") return { ...event, text: "" };
    if (event.kind !== "o") return event;
    const from = at;
    at += event.text.length;
    return { ...event, text: rewritten(event.text, from, hidden, dropped) };
  });
  return { cast: { header, events: clean }, redacted };
}

/** Lines may have been wrapped at any width that the screen had. */
function narrowest({ header, events }: Cast): number {
  const sizes = events.map(({ kind, text }) => (kind === "r" ? sizeIn(text) : undefined));
  return sizes.reduce((width, size) => Math.min(width, size?.cols ?? width), header.width);
}

const MASKED = new RegExp(`${MASK}+`, "g");

/** False if all of them were hidden already. */
function hide(places: Int32Array, hidden: Set<number>): boolean {
  const before = hidden.size;
  for (const place of places) if (place >= 0) hidden.add(place);
  return hidden.size > before;
}

/** A program that draws its input line anew with each key shows a secret's beginning again and again. */
function hideBeginnings([text, places]: Placed, secrets: ReadonlySet<string>, hidden: Set<number>): void {
  for (const secret of secrets) {
    const least = Math.max(MIN_BEGINNING, Math.ceil(secret.length / 3));
    if (secret.length <= least) continue;
    const beginning = secret.slice(0, least);
    for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, at + 1)) {
      let end = at + least;
      while (end - at < secret.length && text[end] === secret[end - at]) end++;
      hide(places.subarray(at, end), hidden);
    }
  }
}

function rewritten(text: string, from: number, hidden: ReadonlySet<number>, dropped: Uint8Array): string {
  let clean = "";
  for (let index = 0; index < text.length; index++) {
    const place = from + index;
    if (hidden.has(place)) clean += SHOWN;
    else if (dropped[place] === 0) clean += text[index]!;
  }
  return clean;
}

/**
 * Sequences of terminals. Titles, links, clipboard and the like are not shown and are dropped whole, also if their end is
 * missing; what moves the cursor separates words.
 */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- That is what they are made of.
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u0018\u001a\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$|(?=[\u0018\u001a\u001b]))|\u001b\[([0-?]*[ -/]*)([@-~]?)|\u001b[ -/]*[0-~]?|\r(?=\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Cursor movements within a line, as programs use them for spaces; others begin elsewhere. */
const WITHIN_LINE = new Set(["C", "G", "X", "`", "a"]);
const ELSEWHERE = new Set(["A", "B", "E", "F", "H", "d", "f", "e", "J", "S", "T", "L", "M"]);

interface Readable {
  /** What a person would read, line by line. */
  read: Placed;
  /** By place in the output: 1 if it is left out. */
  dropped: Uint8Array;
}

function readable(all: string): Readable {
  const parts: string[] = [];
  const places = new Int32Array(all.length);
  const dropped = new Uint8Array(all.length);
  let length = 0;
  const take = (start: number, end: number): void => {
    parts.push(all.slice(start, end).replaceAll("\r", "\n"));
    for (let place = start; place < end; place++) places[length++] = place;
  };
  const separate = (text: string): void => {
    parts.push(text);
    places[length++] = -1;
  };
  let at = 0;
  for (const match of all.matchAll(SEQUENCE)) {
    take(at, match.index);
    at = match.index + match[0].length;
    const final = match[2];
    if (final !== undefined && WITHIN_LINE.has(final)) separate(" ");
    else if (final !== undefined && ELSEWHERE.has(final)) separate("\n");
    else if (final === undefined && !isPlainControl(match[0])) dropped.fill(1, match.index, at);
  }
  take(at, all.length);
  return { read: [parts.join(""), places.subarray(0, length)], dropped };
}

/** Bells, backspaces and short escapes draw nothing and carry nothing. */
function isPlainControl(sequence: string): boolean {
  return sequence < "\u0080" && sequence.length <= 3 && !/^\u001b[\]PX^_]/.test(sequence);
}

/** What may be drawn around a line. */
const BORDER = new Set([" ", "\t", "│", "┃", "|"]);

/** Without the line breaks of lines that reach the right border: a long secret may have been wrapped there. */
function unwrapped([text, places]: Placed, width: number): Placed {
  const parts: string[] = [];
  const kept = new Int32Array(text.length);
  let length = 0;
  let isJoined = false;
  let at = 0;
  for (const line of text.split("\n")) {
    let begin = 0;
    let end = line.length;
    if (isJoined) while (begin < end && BORDER.has(line[begin]!)) begin++;
    while (end > begin && BORDER.has(line[end - 1]!)) end--;
    const body = line.slice(begin, end);
    parts.push(body);
    for (let index = 0; index < body.length; index++) kept[length++] = places[at + begin + index]!;
    isJoined = line.length >= width - BORDER_COLS && body !== "";
    if (!isJoined) {
      parts.push("\n");
      kept[length++] = -1;
    }
    at += line.length + 1;
  }
  return [parts.join(""), kept];
}

function checked<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof UnreadableValue)) throw error;
    throw refusal(`cannot be checked for secrets: ${errorText(error)}`, error);
  }
}

function refusal(reason: string, cause?: unknown): AgentMuxError {
  return new AgentMuxError("VALIDATION_ERROR", `The recording ${reason}.`, { cause });
}
