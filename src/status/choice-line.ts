/** One row of a screen, taken apart as if it were an option: mark, number, box, words. */
import type { ShownRow } from "./shown-row.ts";

export interface ChoiceLine {
  row: ShownRow;
  /** Where its first character stands; the mark's, where it has one. */
  indent: number;
  mark?: string;
  /** A digit or a letter, and where what is behind it ends. */
  number?: string;
  numberEnd?: number;
  /** Of a checkbox: whether it is checked, and where it stands. */
  checked?: boolean;
  /** Where the words begin after mark and number; the box belongs to them. */
  words: number;
  label: string;
  /** What stands beside the label, further to the right. */
  aside: string;
  /** Where the frame around it begins. */
  frame: number;
  isBlank: boolean;
  isRule: boolean;
}

/** The sides of frames, and scroll bars. */
const SIDES = /[│┃║]/gu;
const RULE = /^\s*[─━═╌╭╮╰╯┌┐└┘├┤╻╹▄▀▔▁]{3,}[^\p{L}\p{N}]*$/u;
const OPTION =
  /^(?<indent>\s*)(?:(?<mark>[❯›●◉→▶▸>○◯])\s+)?(?<number>(?:\d{1,2}|[A-Za-z])[.)]\s+)?(?<box>(?:\[(?<sign>[^\]\s]?)\s?\]|[☐☑☒◻◼])\s+)?(?<label>\S.*)$/u;
const UNCHECKED = /^\[\s*\]|^[☐◻]/u;
/** Looks like a mark and says that the option is not the marked one. */
const EMPTY_MARK = /^[○◯]$/u;

export function choiceLine(row: ShownRow): ChoiceLine {
  const frame = /^\s*[│┃║]/u.exec(row.text)?.[0].length ?? 0;
  const text = row.text.replaceAll(SIDES, " ").trimEnd();
  const isRule = RULE.test(row.text.replaceAll(/^[\s│┃║]+|[\s│┃║]+$/gu, ""));
  const found = isRule ? undefined : OPTION.exec(text)?.groups;
  const base = { row, frame, isBlank: text === "", isRule };
  if (found === undefined) return { ...base, indent: text.search(/\S/), words: 0, label: "", aside: "" };
  const { indent = "", mark, number, box, label = "" } = found;
  const words = text.length - label.length - (box?.length ?? 0);
  const [short = "", aside = ""] = label.split(/\s{2,}(.*)/su);
  return {
    ...base,
    indent: indent.length,
    ...(mark === undefined || EMPTY_MARK.test(mark) ? {} : { mark }),
    ...(number === undefined ? {} : numbering(number, words)),
    ...(box === undefined ? {} : { checked: !UNCHECKED.test(box) }),
    words,
    label: short.trim(),
    aside: aside.trim(),
  };
}

function numbering(number: string, words: number): { number: string; numberEnd: number } {
  const blanks = number.length - number.trimEnd().length;
  return { number: number.trim().slice(0, -1), numberEnd: words - blanks };
}
