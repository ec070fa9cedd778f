/**
 * A choice that a program shows, read off its screen: lines of which one is marked, whoever draws them. Nothing here knows a
 * dialog: a block of options is told by its numbers or its alignment, by the one mark in it, and by what stands below.
 */
import { choiceLine, type ChoiceLine } from "./choice-line.ts";
import { choiceAcross } from "./choice-across.ts";
import type { Choice, ShownOption } from "./shown-choice.ts";
import { questionAbove } from "./choice-question.ts";
import { lookAt, type ShownRow } from "./shown-row.ts";

/** More than this below a choice, and it is part of what was said before. */
const MAX_LINES_BELOW = 12;
/** An option's description takes fewer lines. */
const MAX_GAP = 6;

const INPUT_MARK = /^[❯›>]$/u;
const HINT = /\b(?:enter|return|esc|escape|space|select|navigate|confirm|continue|cancel|choose)\b|[↑↓⇆]/iu;
const MORE = /^[▲▼↑↓⌃⌄⋮…]+$|^[▲▼↑↓⌃⌄⋮…]+\s+\d+|\b\d+ more\b|\(\d+\/\d+\)/u;
const TAKES_TEXT =
  /^(?:other\b|something else\b|(?:type|write|enter)\b.*\b(?:something|your|own|custom|here|answer)\b)|\badd (?:details|notes)\b|\btell \w+ what to do\b/iu;

export function readChoice(rows: readonly ShownRow[]): Choice | undefined {
  const lines = rows.map(choiceLine);
  return numberedChoice(lines) ?? plainChoice(lines) ?? choiceAcross(lines);
}

/** The last block of numbered options of which one is marked. */
function numberedChoice(lines: readonly ChoiceLine[]): Choice | undefined {
  for (let at = lines.length - 1; at > 0; at--) {
    const block = lines[at]!.number === undefined ? undefined : numberedBlock(lines, at);
    if (block === undefined) continue;
    const marked = markedIn(lines, block);
    const isOffered = marked !== undefined && !isDraft(lines, block, marked);
    if (isOffered && isLast(lines, block.at(-1)!)) return choiceOf(lines, block, marked);
    at = block[0]!;
  }
  return undefined;
}

/** Rows of the options that end in this one, by consecutive numbers in one column. */
function numberedBlock(lines: readonly ChoiceLine[], last: number): number[] | undefined {
  const block = [last];
  for (let at = last - 1, gap = 0; at >= 0 && gap < MAX_GAP; at--) {
    const [line, next] = [lines[at]!, lines[block[0]!]!];
    if (line.number !== undefined && line.numberEnd === next.numberEnd && follows(next.number!, line.number)) {
      block.unshift(at);
      gap = 0;
    } else if (line.isBlank || line.isRule || line.indent >= next.numberEnd! || isPlainOption(line, next)) gap++;
    else break;
  }
  if (block.length < 2) return undefined;
  return withPlainOptions(lines, block);
}

function follows(next: string, before: string): boolean {
  const isNumber = /^\d+$/.test(next) && /^\d+$/.test(before);
  return isNumber ? Number(next) === Number(before) + 1 : next.charCodeAt(0) === before.charCodeAt(0) + 1;
}

/** A line without number among checkboxes, further left than what is written about them: what sends them. */
function isPlainOption(line: ChoiceLine, numbered: ChoiceLine): boolean {
  if (line.number !== undefined || line.label === "" || line.checked !== undefined) return false;
  const marks = numbered.mark === undefined ? numbered.indent : numbered.indent + 1;
  return line.words >= marks && line.words <= numbered.words;
}

function withPlainOptions(lines: readonly ChoiceLine[], block: readonly number[]): number[] {
  const first = lines[block[0]!]!;
  if (first.checked === undefined) return [...block];
  const between = lines.map((_, at) => at).slice(block[0], block.at(-1)! + MAX_GAP / 2);
  const below = lines[block[0]! + 1]!;
  // What is written about options stands in a column, and so does what is written about this one, below it.
  const written = below.number === undefined ? below.words : undefined;
  const isPlain = (at: number): boolean => isPlainOption(lines[at]!, first) && lines[at]!.words !== written;
  const isApart = (at: number): boolean => lines[at]!.isBlank || lines[at]!.isRule || isPlain(at);
  return between.filter((at) => block.includes(at) || (isPlain(at) && !isApart(at - 1)));
}

/** Options of which one has a mark, in lines one below the other, with nothing but hints below them. */
function plainChoice(lines: readonly ChoiceLine[]): Choice | undefined {
  const marked = lines.findLastIndex(({ mark, label }) => mark !== undefined && label !== "");
  if (marked === -1 || lines[marked]!.number !== undefined) return undefined;
  const { words } = lines[marked]!;
  const isOption = ({ isBlank, isRule, label, words: own, mark, number }: ChoiceLine): boolean =>
    !isBlank && !isRule && label !== "" && own === words && mark === undefined && number === undefined;
  let first = marked;
  while (first > 0 && isOption(lines[first - 1]!)) first--;
  let last = marked;
  while (last < lines.length - 1 && isOption(lines[last + 1]!)) last++;
  if (last === first || !isHintedAt(lines, last + 1)) return undefined;
  const block = lines.map((_, at) => at).slice(first, last + 1);
  return choiceOf(lines, block, marked);
}

/** What is below is the end of the screen, or says how to choose. */
function isHintedAt(lines: readonly ChoiceLine[], from: number): boolean {
  const below = lines.slice(from).filter(({ isBlank }) => !isBlank);
  if (below.every(({ isRule }) => isRule)) return below.length <= 1;
  return !below[0]!.isRule && HINT.test(below[0]!.row.text);
}

/** The one option with a mark, or the one with another ground behind it. */
function markedIn(lines: readonly ChoiceLine[], block: readonly number[]): number | undefined {
  const marked = block.filter((at) => lines[at]!.mark !== undefined);
  if (marked.length > 0) return marked.length === 1 ? marked[0] : undefined;
  const groundOf = (at: number): number | undefined => lookAt(lines[at]!.row, lines[at]!.words)?.ground;
  const isOdd = (at: number): boolean =>
    block.length > 2
      ? block.every((other) => other === at || groundOf(other) !== groundOf(at))
      : groundOf(at) !== lookAt(lines[at]!.row, Number.POSITIVE_INFINITY)?.ground;
  const odd = block.filter(isOdd);
  return odd.length === 1 ? odd[0] : undefined;
}

/**
 * Numbered lines that somebody writes into an input line: the frame around them, or the cursor in them, tells. Where a hint says how
 * to pick, or the lines above ask something, they are taken for a choice: to miss one is worse than to see one too many.
 */
function isDraft(lines: readonly ChoiceLine[], block: readonly number[], marked: number): boolean {
  const [first = 0, last = 0] = [block[0], block.at(-1)];
  if (marked !== first || !INPUT_MARK.test(lines[first]!.mark ?? "")) return false;
  const hasCursor = lines.slice(first, last + 1).some(({ row }) => row.cursor !== undefined);
  if (!hasCursor && lines[first - 1]?.isRule !== true) return false;
  const isHinted = lines.slice(last + 1).some(({ row }) => HINT.test(row.text));
  return !isHinted && !isAsking(lines, first);
}

/** Whether the words right above, behind a rule or a frame too, end as a question or a heading does. */
function isAsking(lines: readonly ChoiceLine[], first: number): boolean {
  const above = lines.slice(Math.max(0, first - MAX_GAP), first).findLast(({ isBlank, isRule }) => !isBlank && !isRule);
  return /[?:]$/.test(above?.row.text.replaceAll(/[│┃║]/gu, "").trimEnd() ?? "");
}

/** Nothing below it that could be the input line of a program that goes on. */
function isLast(lines: readonly ChoiceLine[], last: number): boolean {
  const below = lines.slice(last + 1).filter(({ isBlank, isRule }) => !isBlank && !isRule);
  const isInput = ({ mark, number }: ChoiceLine): boolean =>
    mark !== undefined && number === undefined && INPUT_MARK.test(mark);
  return below.length <= MAX_LINES_BELOW && !below.some(isInput);
}

function choiceOf(lines: readonly ChoiceLine[], block: readonly number[], marked: number): Choice {
  const [first = 0, last = 0] = [block[0], block.at(-1)];
  const options = block.map((at): ShownOption => {
    const { number, label, aside, checked } = lines[at]!;
    return {
      ...(number === undefined ? {} : { number }),
      label,
      isMarked: at === marked,
      ...(checked === undefined ? {} : { isChecked: checked }),
      ...(TAKES_TEXT.test(label) || TAKES_TEXT.test(aside) ? { takesText: true } : {}),
      ...(/\btab\b/i.test(aside) ? { opensWith: "tab" as const } : {}),
      ...(/\(esc\b/i.test(label) ? { isEscape: true } : {}),
    };
  });
  const beside = [...lines.slice(Math.max(0, first - 1), first), ...lines.slice(last + 1, last + MAX_GAP)].map((line) =>
    line.row.text.replaceAll(/[│┃║]/gu, "").trim(),
  );
  return {
    question: questionAbove(lines, first),
    options,
    isSeveral: options.some(({ isChecked }) => isChecked !== undefined),
    isAcross: false,
    isScrolled: beside.some((text) => MORE.test(text)) || !["1", "a", "A", undefined].includes(options[0]!.number),
  };
}
