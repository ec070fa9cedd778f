/**
 * Reads a choice from the screen of any program: a block of options is recognised by numbers or alignment, its single mark, and
 * the text below. Nothing here knows a specific dialog.
 */
import { choiceLine, type ChoiceLine } from "./choice-line.ts";
import { boldChoice, isBoldAt } from "./bold-choice.ts";
import { buttonChoice } from "./button-choice.ts";
import type { Choice, ShownOption } from "./shown-choice.ts";
import { questionAbove } from "./choice-question.ts";
import { lookAt, type ShownRow } from "./shown-row.ts";

/** With more lines below it, a choice is part of earlier output. */
const MAX_LINES_BELOW = 12;
/** No option's description is longer. */
const MAX_GAP = 6;

const INPUT_MARK = /^[❯›>]$/u;
const HINT = /\b(?:enter|return|esc|escape|space|select|navigate|confirm|continue|cancel|choose)\b|[↑↓⇆]/iu;
/** Unlike a line about work in progress, which has arrows before its figures. */
const ARROWS = /[↑↓]\s?\/?\s?[↑↓]|[↑↓].*\b(?:enter|select|navigate)\b|\benter\b.*[↑↓]/iu;
/** A line below the options that is none: any key begins an own answer. */
const TYPING = /^\(or start typing\b/i;
const SUBMIT = /^submit$/i;
const MORE = /^[▲▼↑↓⌃⌄⋮…]+$|^[▲▼↑↓⌃⌄⋮…]+\s+\d+|\b\d+ more\b|\(\d+\/\d+\)/u;
/** A line below the options that shows how far they are scrolled. */
const COUNTER = /^(?:[▲▼↑↓⌃⌄⋮…]+(?:\s|$)|\(\d+\/\d+\))/u;
const TAKES_TEXT =
  /^(?:> )?(?:other\b|something else\b|(?:or )?(?:type|write|enter)\b.*\b(?:something|your|own|custom|here|answer|response)\b)|\badd (?:details|notes)\b|\btell \w+ what to do\b|\(type to add \w+\)/iu;

export function readChoice(rows: readonly ShownRow[]): Choice | undefined {
  const lines = rows.map(choiceLine);
  return numberedChoice(lines) ?? plainChoice(lines) ?? spacedChoice(lines) ?? boldChoice(lines) ?? buttonChoice(lines);
}

/** The last block of numbered options with one marked. */
function numberedChoice(lines: readonly ChoiceLine[]): Choice | undefined {
  for (let at = lines.length - 1; at > 0; at--) {
    const block = lines[at]!.number === undefined ? undefined : numberedBlock(lines, at);
    if (block === undefined) continue;
    const below = linesBelow(lines, block);
    const marked = markedIn(lines, block) ?? boldIn(lines, block, below);
    const isOffered = marked !== undefined && !isDraft(lines, block, marked);
    if (isOffered && isLast(lines, block.at(-1)!)) return choiceOf(lines, [...block, ...below], marked, below[0]);
    at = block[0]!;
  }
  return undefined;
}

/** Rows of the options that end here, with consecutive numbers in one column. */
function numberedBlock(lines: readonly ChoiceLine[], last: number): number[] | undefined {
  const block = [last];
  for (let at = last - 1, gap = 0; at >= 0 && gap < MAX_GAP; at--) {
    const [line, next] = [lines[at]!, lines[block[0]!]!];
    if (line.number !== undefined && line.numberEnd === next.numberEnd && follows(next, line)) {
      block.unshift(at);
      gap = 0;
    } else if (line.isBlank || line.isRule || line.indent >= next.numberEnd! || isPlainOption(line, next)) gap++;
    else break;
  }
  if (block.length < 2) return undefined;
  return withPlainOptions(lines, block);
}

function follows({ number: next = "", hasBox }: ChoiceLine, { number: before = "" }: ChoiceLine): boolean {
  const [isNumber, wasNumber] = [next, before].map((each) => /^\d+$/.test(each));
  if (isNumber && wasNumber) return Number(next) === Number(before) + 1;
  // The key of an own answer, after numbers.
  if (wasNumber) return hasBox === true;
  return next.charCodeAt(0) === before.charCodeAt(0) + 1;
}

/** Below options that are marked by their weight: a line for an own answer in the column of the numbers, then a submit line. */
function linesBelow(lines: readonly ChoiceLine[], block: readonly number[]): number[] {
  const last = block.at(-1)!;
  const own = lines[last + 1];
  const isOwn = own !== undefined && !own.isBlank && !own.isRule && own.number === undefined;
  if (!isOwn || own.indent !== lines[last]!.indent || block.some((at) => lines[at]!.mark !== undefined)) return [];
  const after = lines.slice(last + 2, last + 2 + MAX_GAP);
  if (!after.some(({ row }) => ARROWS.test(row.text))) return [];
  const submit = after.findIndex(({ label, indent }) => SUBMIT.test(label) && indent === own.indent);
  return submit === -1 ? [last + 1] : [last + 1, last + 2 + submit];
}

/** A line without a number among checkboxes, left of their descriptions: the submit line. */
function isPlainOption(line: ChoiceLine, numbered: ChoiceLine): boolean {
  if (line.number !== undefined || line.label === "" || line.checked !== undefined || isCounter(line)) return false;
  const marks = numbered.mark === undefined ? numbered.indent : numbered.indent + 1;
  return line.words >= marks && line.words <= numbered.words;
}

function withPlainOptions(lines: readonly ChoiceLine[], block: readonly number[]): number[] {
  const first = lines[block[0]!]!;
  if (first.checked === undefined) return [...block];
  const between = lines.map((_, at) => at).slice(block[0], block.at(-1)! + MAX_GAP / 2);
  const below = lines[block[0]! + 1]!;
  // Descriptions share a column; so does this one's description below it.
  const written = below.number === undefined ? below.words : undefined;
  const isPlain = (at: number): boolean => isPlainOption(lines[at]!, first) && lines[at]!.words !== written;
  const isApart = (at: number): boolean => lines[at]!.isBlank || lines[at]!.isRule || isPlain(at);
  return between.filter((at) => block.includes(at) || (isPlain(at) && !isApart(at - 1)));
}

/** Options in consecutive lines with one marked, and only hints below them. */
function plainChoice(lines: readonly ChoiceLine[]): Choice | undefined {
  const marked = lines.findLastIndex(({ mark, label }) => mark !== undefined && label !== "");
  if (marked === -1 || lines[marked]!.number !== undefined) return undefined;
  const { words } = lines[marked]!;
  const isOption = (line: ChoiceLine): boolean => {
    const { isBlank, isRule, label, words: own, mark, number } = line;
    const isPlain = !isBlank && !isRule && label !== "" && own === words;
    return isPlain && mark === undefined && number === undefined && !isCounter(line) && !TYPING.test(label);
  };
  let first = marked;
  while (first > 0 && isOption(lines[first - 1]!)) first--;
  let last = marked;
  while (last < lines.length - 1 && isOption(lines[last + 1]!)) last++;
  const isOffered =
    isHintedAt(lines, last + 1) ||
    isKeyedFrame(lines, last) ||
    (isColored(lines, first, last, marked) && isAsking(lines, first) && !hasInputBelow(lines, last));
  if (last === first || !isOffered) return undefined;
  // Agents begin what they say with this sign; dialogs that mark options with it have a frame.
  if (lines[marked]!.mark === "●" && lines[marked]!.frame === 0) return undefined;
  const block = lines.map((_, at) => at).slice(first, last + 1);
  return choiceOf(lines, block, marked);
}

/** The options end a frame, and the last one names the key that closes it. */
function isKeyedFrame(lines: readonly ChoiceLine[], last: number): boolean {
  const { frame, label } = lines[last]!;
  const below = lines.slice(last + 1).find(({ isBlank }) => !isBlank);
  return frame > 0 && /\(esc\)$/i.test(label) && below?.isRule === true;
}

/** The marked option has a background of its own. */
function isColored(lines: readonly ChoiceLine[], first: number, last: number, marked: number): boolean {
  const grounds = lines.slice(first, last + 1).map(({ row }, at) => lookAt(row, lines[first + at]!.words)?.ground);
  const own = grounds[marked - first];
  return own !== undefined && grounds.filter((ground) => ground === own).length === 1;
}

/** A message that the user sent may have a background of its own, too; the input line is still below it. */
function hasInputBelow(lines: readonly ChoiceLine[], last: number): boolean {
  return lines.slice(last + 1).some(({ row }) => /^[❯›>](?:\s|$)/u.test(row.text.replaceAll(/[│┃║]/gu, "").trim()));
}

/** Options in paragraphs with their descriptions, at the end of the screen, with a hint above how to choose. */
function spacedChoice(lines: readonly ChoiceLine[]): Choice | undefined {
  const marked = lines.findLastIndex(({ mark, label }) => mark !== undefined && label !== "");
  if (marked === -1) return undefined;
  const { words } = lines[marked]!;
  const isInside = (line: ChoiceLine | undefined): boolean =>
    line !== undefined && (line.isBlank || (!line.isRule && line.words === words));
  let from = marked;
  while (isInside(lines[from - 1])) from--;
  let to = marked;
  while (isInside(lines[to + 1])) to++;
  const block = lines.map((_, at) => at).filter((at) => at >= from && at <= to && isFirstOfParagraph(lines, at));
  const below = lines.slice(to + 1);
  const isEnd = below.every(({ isBlank, isRule }) => isBlank || isRule);
  const above = lines.slice(Math.max(0, from - MAX_LINES_BELOW), from);
  const isHinted = above.some(({ row }) => /[↑↓]/u.test(row.text) && /\benter\b/i.test(row.text));
  return block.length > 1 && block.includes(marked) && isEnd && isHinted ? choiceOf(lines, block, marked) : undefined;
}

function isFirstOfParagraph(lines: readonly ChoiceLine[], at: number): boolean {
  return !lines[at]!.isBlank && (lines[at - 1]?.isBlank ?? true);
}

/** Below is the end of the screen, or a hint how to choose. */
function isHintedAt(lines: readonly ChoiceLine[], from: number): boolean {
  const below = lines.slice(from).filter(({ isBlank }) => !isBlank);
  if (below.every(({ isRule }) => isRule)) return below.length <= 1;
  // A long message that was sent is cut off with the same sign.
  const isScrolled = isCounter(below[0]!) && !hasInputBelow(lines, from);
  return !below[0]!.isRule && (HINT.test(below[0]!.row.text) || TYPING.test(below[0]!.label) || isScrolled);
}

function isCounter({ row }: ChoiceLine): boolean {
  return COUNTER.test(row.text.replaceAll(/[│┃║]/gu, "").trim());
}

/** The one option with a mark, or with another background. */
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

/** The one option in bold, above a hint; or the line below that is typed into, which has only a cursor drawn as a block. */
function boldIn(lines: readonly ChoiceLine[], block: readonly number[], below: readonly number[]): number | undefined {
  const last = block.at(-1)!;
  if (!lines.slice(last + 1, last + 2 + MAX_GAP).some(({ row }) => ARROWS.test(row.text))) return undefined;
  const bold = [...block, ...below].filter((at) => isBoldAt(lines[at]!, lines[at]!.indent));
  if (bold.length > 0) return bold.length === 1 ? bold[0] : undefined;
  const grounds = lines[below[0] ?? -1]?.row.looks?.map(({ ground }) => ground);
  return new Set(grounds).size > 1 ? below[0] : undefined;
}

/**
 * Numbered lines typed into an input line, recognised by its frame or cursor. With a hint or a question above they count as a
 * choice: missing one is worse than a false one.
 */
function isDraft(lines: readonly ChoiceLine[], block: readonly number[], marked: number): boolean {
  const [first = 0, last = 0] = [block[0], block.at(-1)];
  if (marked !== first || !INPUT_MARK.test(lines[first]!.mark ?? "")) return false;
  const hasCursor = lines.slice(first, last + 1).some(({ row }) => row.cursor !== undefined);
  if (!hasCursor && lines[first - 1]?.isRule !== true) return false;
  const isHinted = lines.slice(last + 1).some(({ row }) => HINT.test(row.text));
  return !isHinted && !isAsking(lines, first);
}

/** Whether the text right above, even beyond a rule or frame, ends like a question or heading. */
function isAsking(lines: readonly ChoiceLine[], first: number): boolean {
  const above = lines.slice(Math.max(0, first - MAX_GAP), first).findLast(({ isBlank, isRule }) => !isBlank && !isRule);
  return /[?:]$/.test(above?.row.text.replaceAll(/[│┃║]/gu, "").trimEnd() ?? "");
}

/** Nothing below could be the input line of a running program. */
function isLast(lines: readonly ChoiceLine[], last: number): boolean {
  const below = lines.slice(last + 1).filter(({ isBlank, isRule }) => !isBlank && !isRule);
  const isInput = ({ mark, number }: ChoiceLine): boolean =>
    mark !== undefined && number === undefined && INPUT_MARK.test(mark);
  return below.length <= MAX_LINES_BELOW && !below.some(isInput);
}

function choiceOf(lines: readonly ChoiceLine[], block: readonly number[], marked: number, own?: number): Choice {
  const [first = 0, last = 0] = [block[0], block.at(-1)];
  const options = block.map((at): ShownOption => {
    const { number, label, aside, checked } = lines[at]!;
    return {
      ...(number === undefined ? {} : { number }),
      label,
      isMarked: at === marked,
      ...(checked === undefined ? {} : { isChecked: checked }),
      ...(at === own || TAKES_TEXT.test(label) || TAKES_TEXT.test(aside) ? { takesText: true } : {}),
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
