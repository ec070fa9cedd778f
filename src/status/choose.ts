/**
 * Selects an option on a screen: moves the mark step by step, and presses Enter only when the option is marked. A digit would
 * select at once in some programs and do nothing in others.
 */
import { AgentMuxError } from "../core/errors.ts";
import { readChoice } from "./choice.ts";
import type { Choice, ShownOption } from "./shown-choice.ts";
import { hasNumbers, isExact, isRefusal, matchAnswer, noSuchOption, numberOf, type Match } from "./choice-match.ts";
import { lookFor, pause, type TerminalOperator, type OperatorKey } from "./terminal-operator.ts";
import { newRows, type ShownRow } from "./shown-row.ts";

/** A program that has not moved its mark by then ignores the key. */
const MOVES_WITHIN_MS = 1500;
const GOES_WITHIN_MS = 5000;
/** Claude Code ignores Enter in the first moments of a dialog. */
const SETTLES_MS = 800;
/** Longer lists are not searched. */
const MOST_STEPS = 200;

const SUBMITS = /^(?:submit|done|confirm|finish)\b/i;

/** Whether the option was seen to be accepted, and which. */
export interface Chosen {
  isTaken: boolean;
  option: string;
}

/** Undefined if the screen shows no choice. */
export async function shownChoice(operator: TerminalOperator): Promise<Choice | undefined> {
  return readChoice(await operator.rows());
}

export async function choose(operator: TerminalOperator, choice: Choice, answer: string): Promise<Chosen> {
  const { match, shown } = await matched(operator, choice, answer);
  if (match === undefined) throw noSuchOption(shown, answer);
  if (match.kind === "text") return write(operator, choice, match.option, match.text);
  const isChecking = choice.isSeveral && !match.options.some(isPlain);
  return isChecking ? check(operator, shown, match.options) : take(operator, choice, match.options[0]!);
}

/** Some lines among checkboxes have none: submit, and ways out. */
function isPlain({ isChecked }: ShownOption): boolean {
  return isChecked === undefined;
}

/** Walks through a scrolling list before an answer is matched to one of its options. */
async function matched(
  operator: TerminalOperator,
  choice: Choice,
  answer: string,
): Promise<{ match: Match | undefined; shown: Choice }> {
  const match = matchAnswer(choice, answer);
  const isCertain = match?.kind === "options" && !choice.isSeveral && isExact(choice, answer);
  if (!choice.isScrolled || isCertain) return { match, shown: choice };
  const whole = { ...choice, options: await allOptions(operator, choice) };
  // Without numbers of its own, an option was numbered by its place among the visible ones.
  const isSamePlace = numberOf(choice, choice.options[0]!) === numberOf(whole, choice.options[0]!);
  return { match: isSamePlace || !hasNumbers(answer) ? matchAnswer(whole, answer) : match, shown: whole };
}

/** In their order. A list that does not wrap is walked in both directions. */
async function allOptions(operator: TerminalOperator, choice: Choice): Promise<ShownOption[]> {
  let all = choice.options;
  let shown = choice;
  const start = keyOf(markedOf(choice)!);
  for (const key of ["down", "up"] as const) {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const next = await step(operator, shown, key);
      if (next === undefined) break;
      if (key === "down" && keyOf(markedOf(next)!) === start) return all;
      const known = new Set(all.map(keyOf));
      const others = next.options.filter((option) => !known.has(keyOf(option)));
      all = key === "down" ? [...all, ...others] : [...others, ...all];
      shown = next;
    }
  }
  return all;
}

/** Presses once and waits for the mark to move; undefined if it stays. */
async function step(operator: TerminalOperator, shown: Choice, key: OperatorKey): Promise<Choice | undefined> {
  const before = keyOf(markedOf(shown)!);
  await operator.press(key);
  return lookFor(async () => {
    const now = await shownChoice(operator);
    const marked = now === undefined ? undefined : markedOf(now);
    return marked !== undefined && keyOf(marked) !== before ? now : undefined;
  }, MOVES_WITHIN_MS);
}

/** Moves the mark to an option of this choice only. */
async function moveTo(operator: TerminalOperator, choice: Choice, wanted: ShownOption): Promise<Choice> {
  let shown = await shownChoice(operator);
  let isBack = false;
  for (let steps = 0; shown !== undefined && steps < MOST_STEPS; steps++) {
    refuseOther(choice, shown, wanted);
    const marked = shown.options.findIndex(({ isMarked }) => isMarked);
    const at = placeOf(shown, choice, wanted);
    if (at === marked) return shown;
    const isBefore = at !== -1 ? at < marked : (isNumberedBefore(wanted, shown.options[0]!) ?? isBack);
    const next: Choice | undefined = await step(operator, shown, keyTowards(shown, isBefore));
    // Out of sight and without a number, it may also be behind.
    const turns: boolean = next === undefined && at === -1 && !isBack;
    isBack ||= turns;
    shown = turns ? shown : next;
  }
  throw new AgentMuxError(
    "INVALID_STATE_TRANSITION",
    `The mark could not be moved to "${wanted.label}". Nothing was chosen. Attach to the session.`,
  );
}

function isNumberedBefore({ number }: ShownOption, first: ShownOption): boolean | undefined {
  return number === undefined || first.number === undefined ? undefined : Number(number) < Number(first.number);
}

/** Where the option is now, or -1. Copilot changes the label of an option for text while it is marked. */
function placeOf(shown: Choice, choice: Choice, wanted: ShownOption): number {
  const at = shown.options.findIndex((option) => keyOf(option) === keyOf(wanted));
  if (at !== -1 || wanted.takesText !== true) return at;
  const before = choice.options.findIndex((option) => keyOf(option) === keyOf(wanted));
  const others = ({ options }: Choice): string => options.map(keyOf).toSpliced(before, 1).join("\n");
  const isSame = shown.options[before]?.takesText === true && others(shown) === others(choice);
  return isSame ? before : -1;
}

function refuseOther({ question, isScrolled }: Choice, shown: Choice, wanted: ShownOption): void {
  // Text above a scrolling list changes with it.
  if (!isScrolled && shown.question !== question) {
    throw new AgentMuxError(
      "INVALID_STATE_TRANSITION",
      `The session asks something else now: ${shown.question} Nothing was chosen.`,
    );
  }
  if (shown.options.filter((option) => keyOf(option) === keyOf(wanted)).length > 1) {
    throw new AgentMuxError(
      "VALIDATION_ERROR",
      `"${wanted.label}" is there more than once. Nothing was chosen. Attach to the session.`,
    );
  }
}

function keyTowards({ isAcross }: Choice, isBefore: boolean): OperatorKey {
  if (isAcross) return isBefore ? "left" : "right";
  return isBefore ? "up" : "down";
}

async function take(operator: TerminalOperator, choice: Choice, option: ShownOption): Promise<Chosen> {
  await moveTo(operator, choice, option);
  await pause(SETTLES_MS);
  const shown = await moveTo(operator, choice, option);
  await operator.press("enter");
  const isTaken = await isGone(operator, shown);
  if (isTaken && choice.isAcross && isRefusal(option)) {
    return { isTaken: await refusedWithoutReason(operator), option: option.label };
  }
  if (isTaken || option.isEscape !== true) return { isTaken, option: option.label };
  // Some accept this option only with text, or with the key in its label.
  await operator.press("escape");
  return { isTaken: await isGone(operator, shown), option: option.label };
}

/** Kilo then asks for a reason, and refuses without one at Enter. */
async function refusedWithoutReason(operator: TerminalOperator): Promise<boolean> {
  const asksReason = async (): Promise<boolean> => {
    const rows = await operator.rows();
    return readChoice(rows) === undefined && isSubmitting(rows);
  };
  const hasField = await lookFor(async () => {
    if ((await operator.hasGoneOn?.()) === true) return false;
    return (await asksReason()) ? true : undefined;
  }, MOVES_WITHIN_MS);
  if (hasField !== true) return true;
  await operator.press("enter");
  return (await lookFor(async () => ((await asksReason()) ? undefined : true), GOES_WITHIN_MS)) === true;
}

/** Checks exactly the wanted options and submits them. */
async function check(operator: TerminalOperator, whole: Choice, wanted: readonly ShownOption[]): Promise<Chosen> {
  const names = new Set(wanted.map(keyOf));
  for (const option of whole.options) {
    if (option.isChecked === undefined || option.isChecked === names.has(keyOf(option))) continue;
    await moveTo(operator, whole, option);
    await toggle(operator, option);
  }
  const submit = whole.options.find(({ label, isChecked }) => isChecked === undefined && SUBMITS.test(label));
  const option = wanted.map(({ label }) => label).join(", ");
  if (submit === undefined) return { isTaken: await submitPlainly(operator, whole), option };
  const { isTaken } = await take(operator, whole, submit);
  // Some show a summary and ask for confirmation.
  const review = await lookFor(() => shownChoice(operator), MOVES_WITHIN_MS);
  const sends = review?.options.find(({ label }) => SUBMITS.test(label));
  if (!isTaken || review === undefined || sends === undefined || review.isSeveral) return { isTaken, option };
  return { ...(await take(operator, review, sends)), option };
}

/** Without a submit line: with Enter, or after the last tab. */
async function submitPlainly(operator: TerminalOperator, whole: Choice): Promise<boolean> {
  const before = await operator.rows();
  const now = readChoice(before);
  if (now === undefined || (!whole.isScrolled && now.question !== whole.question)) {
    throw new AgentMuxError(
      "INVALID_STATE_TRANSITION",
      "The session asks something else now. Enter was not pressed. Attach to the session.",
    );
  }
  const hasTabs = before.some(({ text }) => /\btab\b/i.test(text));
  if (hasTabs) {
    await operator.press("tab");
    const isReview = await lookFor(async () => {
      const rows = await operator.rows();
      return readChoice(rows) === undefined && isSubmitting(rows) ? true : undefined;
    }, MOVES_WITHIN_MS);
    if (isReview !== true) return false;
  }
  await operator.press("enter");
  const isOver = async (): Promise<true | undefined> => (isSubmitting(await operator.rows()) ? undefined : true);
  return (await isGone(operator, whole)) && (await lookFor(isOver, GOES_WITHIN_MS)) === true;
}

function isSubmitting(rows: readonly { text: string }[]): boolean {
  return rows.some(({ text }) => /\benter\s+(?:to\s+)?(?:submit|confirm|send)\b/i.test(text));
}

/** With the key that the screen names for it. */
async function toggle(operator: TerminalOperator, option: ShownOption): Promise<void> {
  const words = (await operator.rows()).map(({ text }) => text).join("\n");
  await operator.press(/\benter\b/i.test(words) && !/\bspace\b/i.test(words) ? "enter" : "space");
  const isDone = await lookFor(async () => {
    const now = (await shownChoice(operator))?.options.find((each) => keyOf(each) === keyOf(option));
    return now !== undefined && now.isChecked !== option.isChecked ? true : undefined;
  }, MOVES_WITHIN_MS);
  if (isDone === true) return;
  throw new AgentMuxError(
    "INVALID_STATE_TRANSITION",
    `"${option.label}" could not be checked. Nothing was sent. Attach to the session.`,
  );
}

/** Types text into an option that accepts it, and submits once it is visible there. */
async function write(operator: TerminalOperator, choice: Choice, option: ShownOption, text: string): Promise<Chosen> {
  const shown = await moveTo(operator, choice, option);
  let isThere = await written(operator, text);
  if (isThere === undefined) {
    if (!isSameField(shown, await shownChoice(operator))) throw notWritten(option);
    await operator.press(option.opensWith ?? "enter");
    await lookFor(async () => ((await shownChoice(operator)) === undefined ? true : undefined), LETS_OPEN_MS);
    isThere = await written(operator, text);
    if (isThere === undefined) throw notWritten(option);
  }
  const field = await shownChoice(operator);
  await pause(AFTER_TEXT_MS);
  const isStill = async (): Promise<true | undefined> => {
    const rows = await operator.rows();
    return isThere(rows) && isSameField(field, readChoice(rows)) ? true : undefined;
  };
  if ((await lookFor(isStill, MOVES_WITHIN_MS)) !== true) {
    throw new AgentMuxError(
      "INVALID_STATE_TRANSITION",
      `The session's screen changed while the text was typed into "${option.label}". Enter was not pressed. Attach to the session.`,
    );
  }
  await operator.press("enter");
  return { isTaken: await isGone(operator, shown, text), option: option.label };
}

/** Gemini CLI takes an earlier Enter for a part of the paste. */
const AFTER_TEXT_MS = 300;

/** A field that opens is visible by then. */
const LETS_OPEN_MS = 400;

function notWritten({ label }: ShownOption): AgentMuxError {
  return new AgentMuxError(
    "INVALID_STATE_TRANSITION",
    `The text did not appear in "${label}". Nothing was sent. Attach to the session.`,
  );
}

/** Enter would go to the same option. Its label is the text that is typed. */
function isSameField(before: Choice | undefined, now: Choice | undefined): boolean {
  const others = (choice: Choice | undefined): string =>
    JSON.stringify([choice?.question, choice?.options.map((option) => option.isMarked || keyOf(option))]);
  return others(before) === others(now);
}

/** Types the text and waits until it appears: the same words may already be on the screen. Returns how to see it again. */
async function written(
  operator: TerminalOperator,
  text: string,
): Promise<((rows: readonly ShownRow[]) => boolean) | undefined> {
  const before = await operator.rows();
  await (operator.fill === undefined ? operator.say(text) : operator.fill(text));
  const isThere = (rows: readonly ShownRow[]): boolean => showsText(newRows(before, rows), text);
  return lookFor(async () => (isThere(await operator.rows()) ? isThere : undefined), MOVES_WITHIN_MS);
}

/** Looks for the end of the text, however it is wrapped. */
export function showsText(rows: readonly ShownRow[], text: string): boolean {
  const shown = rows.map((row) => row.text.replaceAll(/[\s│┃║]/gu, "")).join("");
  const squeezed = text.replaceAll(/\s/gu, "");
  return squeezed !== "" && shown.includes(squeezed.slice(-SEEN_LENGTH));
}

/** Enough of a text to recognise it. */
const SEEN_LENGTH = 24;

async function isGone(operator: TerminalOperator, shown: Choice, text?: string): Promise<boolean> {
  const before = identityOf(shown);
  const found = await lookFor(async () => {
    const rows = await operator.rows();
    const now = readChoice(rows);
    // A denial may end the program, whose last screen stays.
    if (now === undefined || operator.isOver?.() === true) return true;
    const isSame = identityOf(now) === before || (text !== undefined && now.question === shown.question);
    return isSame ? undefined : true;
  }, GOES_WITHIN_MS);
  // The next dialog may look the same.
  return found === true || (await operator.hasGoneOn?.()) === true;
}

function identityOf({ question, options }: Choice): string {
  return JSON.stringify([question, options.map(keyOf)]);
}

function markedOf({ options }: Choice): ShownOption | undefined {
  return options.find(({ isMarked }) => isMarked);
}

function keyOf({ number, label }: ShownOption): string {
  return `${number ?? ""} ${label}`;
}
