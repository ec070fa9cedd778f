/** Finds the question above a block of options. */
import { oneLine, truncate } from "../lib/text/text.ts";
import type { ChoiceLine } from "./choice-line.ts";

/** No dialog's explanation is longer. */
const MAX_LINES = 16;
const MAX_LENGTH = 300;

/** A question mark after words, not one on its own. */
const QUESTION = /(?:^|[.!?…]\s+)(?<asked>[^?]*?[\p{L}\p{N})\]"'’]\?)(?=\s|$)/u;

/** What keys do. */
const KEYS = /^[←→↑↓]/u;

/** A line shorter than this share of the screen was not wrapped. */
const SHORT_LINE = 0.6;

/** The nearest sentence that ends in a question mark; otherwise the nearest heading. */
export function questionAbove(lines: readonly ChoiceLine[], first: number): string {
  const region = regionAbove(lines, first);
  const isBare = region.every(({ isBlank }) => isBlank);
  const all = paragraphs(isBare ? frameAbove(lines, first) : region, widthOf(lines)).toReversed();
  const asked = all.map(({ text }) => lastQuestion(text)).find((found) => found !== undefined);
  const heading = all.find(({ text, lines: count }) => count === 1 && !/^\w+:\/\//.test(text)) ?? all.at(-1);
  return short(asked ?? heading?.text ?? "");
}

/** The rows of the same frame, up to the line that separates it from earlier output. */
function regionAbove(lines: readonly ChoiceLine[], first: number): ChoiceLine[] {
  const { frame } = lines[first]!;
  const above = lines.slice(Math.max(0, first - MAX_LINES), first);
  const border = above.findLastIndex(
    (line, at) => line.frame !== frame || (line.isRule && above.slice(at + 1).some(({ isBlank }) => !isBlank)),
  );
  return above.slice(border + 1).filter(({ isRule }) => !isRule);
}

/** For options below a frame that holds the question. */
function frameAbove(lines: readonly ChoiceLine[], first: number): ChoiceLine[] {
  const bottom = lines.findLastIndex(({ isBlank }, at) => at < first && !isBlank);
  if (lines[bottom]?.isRule !== true) return [];
  const top = lines.findLastIndex(({ frame }, at) => at < bottom && frame === 0);
  return lines.slice(top + 1, bottom);
}

interface Paragraph {
  text: string;
  lines: number;
}

function widthOf(lines: readonly ChoiceLine[]): number {
  return Math.max(...lines.map(({ row }) => row.text.length));
}

function paragraphs(region: readonly ChoiceLine[], width: number): Paragraph[] {
  const all: Paragraph[] = [];
  let goesOn = false;
  for (const { row } of region.filter(({ label }) => !KEYS.test(label))) {
    const line = row.text.replaceAll(/[│┃║]/gu, " ").trimEnd();
    const text = oneLine(line);
    const last = all.at(-1);
    if (text !== "" && goesOn && last !== undefined) {
      last.text += ` ${text}`;
      last.lines++;
    } else if (text !== "") all.push({ text, lines: 1 });
    goesOn = text !== "" && line.length >= SHORT_LINE * width;
  }
  return all;
}

function lastQuestion(paragraph: string): string | undefined {
  let asked: string | undefined;
  for (let rest = paragraph; ;) {
    const found = QUESTION.exec(rest);
    if (found?.groups === undefined) return asked;
    asked = found.groups["asked"];
    rest = rest.slice(found.index + found[0].length);
  }
}

function short(text: string): string {
  return truncate(oneLine(text).replace(/^[^\p{L}\p{N}/"'(]+/u, ""), MAX_LENGTH);
}
