/** Finds commented lines again in a file that has changed, by their text and the lines around them. */
import type { PlaceKind } from "../../protocol/review.ts";

export interface Anchor {
  /** Counted from 1. */
  line: number;
  quote: string[];
  /** Up to `CONTEXT_LINES` on each side. */
  before: string[];
  after: string[];
  /** Equal places (the same lines in the same context): how many there were, and which one is meant, from 0. */
  places: number;
  nth: number;
}

export interface Place {
  kind: PlaceKind;
  /** Absent if nothing of it was found. */
  line?: number;
}

const CONTEXT_LINES = 3;

/** A longer line is compared up to here, so that a minified file does not fill the review. */
const MAX_LINE = 1000;

/** Letters and digits that a text needs to be recognised elsewhere. */
const TELLING = 8;

/** How far apart the lines before and after a changed place may be. */
const MAX_GROWTH = 60;

export function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line).slice(0, MAX_LINE));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** `lines` as from `linesOf`; the range must be inside. */
export function anchorAt(lines: readonly string[], line: number, count: number): Anchor {
  const at = line - 1;
  const quote = lines.slice(at, at + count);
  const before = lines.slice(Math.max(0, at - CONTEXT_LINES), at);
  const after = lines.slice(at + count, at + count + CONTEXT_LINES);
  const equal = fullMatches(lines, { quote, before, after });
  return { line, quote, before, after, places: equal.length, nth: equal.indexOf(at) };
}

/** Never takes one of several equal places for ours, unless they are as many as before. */
export function locate(anchor: Anchor, lines: readonly string[]): Place {
  const full = fullMatches(lines, anchor);
  if (full.length > 0) {
    const at = full.length === anchor.places ? full[anchor.nth] : undefined;
    const isOurs = at === anchor.line - 1 || isTelling([...anchor.before, ...anchor.quote, ...anchor.after]);
    return at !== undefined && isOurs ? found(anchor, at) : { kind: "changed", line: nearest(full, anchor) };
  }
  const alike = matches(lines, anchor.quote);
  if (alike.length > 0) return byContext(anchor, lines, alike);
  return surroundings(anchor, lines);
}

function found({ line }: Anchor, at: number): Place {
  return { kind: at + 1 === line ? "same" : "moved", line: at + 1 };
}

/** The lines are there, in another context: the one place that shares most of it. */
function byContext(anchor: Anchor, lines: readonly string[], alike: readonly number[]): Place {
  const scored = alike.map((at) => ({ at, shared: sharedContext(anchor, lines, at) }));
  const [best, second] = scored.sort((a, b) => b.shared.length - a.shared.length);
  const isClear = second === undefined || best!.shared.length > second.shared.length;
  // Brackets and short words are in many places: without more around them, they say nothing.
  const isOurs = isClear && isTelling([...anchor.quote, ...best!.shared]);
  return isOurs ? found(anchor, best!.at) : { kind: "changed", line: nearest(alike, anchor) };
}

/** The lines themselves are changed or gone: what stands between their surroundings now. */
function surroundings({ quote, before, after }: Anchor, lines: readonly string[]): Place {
  const above = isTelling(before) ? matches(lines, before) : [];
  const below = isTelling(after) ? matches(lines, after) : [];
  for (const top of above.length === 1 ? above : []) {
    const first = top + before.length;
    const next = below.filter((at) => at >= first && at - first <= quote.length + MAX_GROWTH);
    if (next.length === 1) return next[0] === first ? { kind: "gone" } : { kind: "changed", line: first + 1 };
  }
  for (const text of quote) {
    const places = isTelling([text]) ? matches(lines, [text]) : [];
    if (places.length === 1) return { kind: "changed", line: places[0]! + 1 };
  }
  return { kind: "gone" };
}

function fullMatches(
  lines: readonly string[],
  { quote, before, after }: Pick<Anchor, "quote" | "before" | "after">,
): number[] {
  return matches(lines, [...before, ...quote, ...after]).map((at) => at + before.length);
}

/** `block` is never empty. */
function matches(lines: readonly string[], block: readonly string[]): number[] {
  const found: number[] = [];
  for (let at = lines.indexOf(block[0]!); at !== -1; at = lines.indexOf(block[0]!, at + 1)) {
    if (block.every((line, index) => lines[at + index] === line)) found.push(at);
  }
  return found;
}

/** Equal lines next to it on both sides that are not empty. */
function sharedContext({ quote, before, after }: Anchor, lines: readonly string[], at: number): string[] {
  const end = at + quote.length;
  const above = shared(before.toReversed(), (index) => lines[at - 1 - index]);
  return [...above, ...shared(after, (index) => lines[end + index])];
}

function shared(context: readonly string[], lineAt: (index: number) => string | undefined): string[] {
  const differs = context.findIndex((line, index) => lineAt(index) !== line);
  return context.slice(0, differs === -1 ? context.length : differs).filter((line) => line.trim() !== "");
}

function isTelling(lines: readonly string[]): boolean {
  return (lines.join("").match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= TELLING;
}

function nearest(places: readonly number[], { line }: Anchor): number {
  return places.reduce((best, at) => (Math.abs(at + 1 - line) < Math.abs(best + 1 - line) ? at : best)) + 1;
}
