/** Options side by side, like buttons: the marked one has another background. */
import type { Choice, ShownOption } from "./shown-choice.ts";
import type { ChoiceLine } from "./choice-line.ts";
import { questionAbove } from "./choice-question.ts";
import type { Look, ShownRow } from "./shown-row.ts";

/** Buttons are at the bottom. */
const MAX_ROWS_BELOW = 6;
/** Keys before the labels are a hint too. */
const HINT = /\benter\b|⇆|←|\[[a-z]\] .*\[[a-z]\] /iu;
const KEY = /^\[([a-z])\] /;

interface Piece {
  text: string;
  looks: Look[];
}

export function buttonChoice(lines: readonly ChoiceLine[]): Choice | undefined {
  const last = lines.findLastIndex(({ isBlank }) => !isBlank);
  for (let at = last; at >= Math.max(0, last - MAX_ROWS_BELOW); at--) {
    const { row } = lines[at]!;
    const buttons = buttonsOf(row);
    if (buttons === undefined || !HINT.test(row.text + (lines[at + 1]?.row.text ?? ""))) continue;
    return {
      question: questionAbove(lines, at),
      options: buttons,
      isSeveral: false,
      isAcross: true,
      isScrolled: false,
    };
  }
  return undefined;
}

/** Pieces of one colour each, one with its own background; two-coloured text is a key hint. */
function buttonsOf(row: ShownRow): ShownOption[] | undefined {
  const pieces = piecesOf(row);
  const first = pieces.findIndex(isButton);
  if (first === -1) return undefined;
  const end = pieces.findIndex((piece, at) => at > first && !isButton(piece));
  const buttons = pieces.slice(first, end === -1 ? undefined : end);
  const grounds = buttons.map(({ looks }) => looks[0]!.ground);
  const marked = buttons.filter((_, at) => grounds.filter((ground) => ground === grounds[at]).length === 1);
  // Of two, the one whose background appears nowhere else in the row.
  const beside = [...pieces.slice(first + buttons.length).flatMap(({ looks }) => looks), ...ends(row)];
  const others = new Set(beside.map(({ ground }) => ground));
  const odd = marked.filter(({ looks }) => !others.has(looks[0]!.ground));
  if (buttons.length < 2 || odd.length !== 1) return undefined;
  return buttons.map((button) => {
    const key = KEY.exec(button.text)?.[1];
    const label = button.text.replace(KEY, "");
    return { ...(key === undefined ? {} : { number: key }), label, isMarked: button === odd[0] };
  });
}

function ends({ looks = [] }: ShownRow): Look[] {
  return [looks.at(0), looks.at(-1)].filter((look) => look !== undefined);
}

/** A line that says what Enter does is none. */
function isButton({ looks, text }: Piece): boolean {
  return looks.length === 1 && /^(?:\[[a-z]\] )?\p{L}/u.test(text) && !/\benter\b/i.test(text);
}

function piecesOf({ text, looks = [] }: ShownRow): Piece[] {
  return [...text.matchAll(/[^\s│┃║](?:\s?[^\s│┃║])*/gu)].map(({ 0: piece, index }) => ({
    text: piece,
    looks: distinct(
      [...piece].flatMap((letter, at) => {
        const look = letter === " " ? undefined : looks.findLast((each) => each.at <= index + at);
        return look === undefined ? [] : [look];
      }),
    ),
  }));
}

function distinct(looks: readonly Look[]): Look[] {
  return looks.filter(
    (look, at) => looks.findIndex((other) => other.ink === look.ink && other.ground === look.ground) === at,
  );
}
