/** Parses one screen row as an option: mark, number, box, words. */
import type { ShownRow } from "./shown-row.ts";

export interface ChoiceLine {
  row: ShownRow;
  /** Column of its first character, or of its mark. */
  indent: number;
  mark?: string;
  /** A digit or a letter, and where its separator ends. */
  number?: string;
  numberEnd?: number;
  /** For a checkbox: whether it is checked. */
  checked?: boolean;
  /** It has a box or a circle after a bare number. */
  hasBox?: true;
  /** Where the words begin after mark and number, including the box. */
  words: number;
  label: string;
  /** Text beside the label, further to the right. */
  aside: string;
  /** Column where the frame begins. */
  frame: number;
  isBlank: boolean;
  isRule: boolean;
}

/** Sides of frames, and scroll bars. */
const SIDES = /[│┃║]/gu;
const RULE = /^\s*[─━═╌╭╮╰╯┌┐└┘├┤╻╹▄▀▔▁]{3,}[^\p{L}\p{N}]*$/u;
const OPTION =
  /^(?<indent>\s*)(?:(?<mark>[❯›●◉→▶▸>○◯])\s+)?(?<number>(?:(?:\d{1,2}|[A-Za-z])[.)]|\[\d{1,2}\]|(?<bare>\d{1,2}|[a-z])(?=\s+(?:\([●○]\)|\[.?\])))\s+)?(?:\([●○]\)\s+)?(?:(?<box>(?:\[(?<sign>[^\]\s]?)\s?\]|[☐☑☒◻◼])\s+)(?<late>\d{1,2}[.)]\s+)?)?(?<label>\S.*)$/u;
const UNCHECKED = /^\[\s*\]|^[☐◻]/u;
/** Looks like a mark but means not selected. */
const EMPTY_MARK = /^[○◯]$/u;

/** The handle of a scroll bar, which comes and goes. */
const HANDLE = /(?<=\s)█$/u;

export function choiceLine(given: ShownRow): ChoiceLine {
  const row = HANDLE.test(given.text) ? { ...given, text: given.text.replace(HANDLE, " ") } : given;
  const frame = /^\s*[│┃║]/u.exec(row.text)?.[0].length ?? 0;
  const text = row.text.replaceAll(SIDES, " ").trimEnd();
  const isRule = RULE.test(row.text.replaceAll(/^[\s│┃║]+|[\s│┃║]+$/gu, ""));
  const found = isRule ? undefined : OPTION.exec(text)?.groups;
  const base = { row, frame, isBlank: text === "", isRule };
  if (found === undefined) return { ...base, indent: text.search(/\S/), words: 0, label: "", aside: "" };
  const { indent = "", mark, box, late, label = "" } = found;
  // Some put the box before the number.
  const number = found["number"] ?? late;
  const words = text.length - label.length - (late === undefined ? (box?.length ?? 0) : 0);
  const [short = "", aside = ""] = label.split(/\s{2,}(.*)/su);
  return {
    ...base,
    indent: indent.length,
    ...(mark === undefined || EMPTY_MARK.test(mark) ? {} : { mark }),
    ...(number === undefined ? {} : numbering(number, words)),
    ...(box === undefined ? {} : { checked: !UNCHECKED.test(box) }),
    ...(found["bare"] === undefined ? {} : { hasBox: true }),
    words,
    label: short.trim(),
    aside: aside.trim(),
  };
}

function numbering(number: string, words: number): { number: string; numberEnd: number } {
  const blanks = number.length - number.trimEnd().length;
  return { number: number.replaceAll(/[^0-9A-Za-z]/g, ""), numberEnd: words - blanks };
}
