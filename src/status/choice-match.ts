/** Matches an answer to an option: by number, label, a unique part of the label, or yes and no. */
import { AgentMuxError } from "../core/errors.ts";
import { oneLine } from "../lib/text/text.ts";
import type { Choice, ShownOption } from "./shown-choice.ts";

export type Match =
  | { kind: "options"; options: ShownOption[] }
  /** Text for the option that accepts it. */
  | { kind: "text"; option: ShownOption; text: string };

export const YES = new Set(["yes", "y", "allow", "accept", "approve"]);
export const NO = new Set(["no", "n", "deny", "reject", "refuse"]);
const AFFIRMS = /^(?:yes|allow|accept|approve|trust|proceed|continue|ok)\b/;
const DENIES = /^(?:no|deny|reject|refuse|decline|don't|do not|quit|exit|cancel)\b/;
const CONSENTS =
  /^(?:(?:yes|y|yep|yeah|yup|ok|okay|sure|fine|allow|accept|approved?|agreed?|trust|proceed|continue|go ahead|go on|go for it|do it|please do|lgtm)(?![\p{L}\p{N}])|👍|✅|\+1)/u;
/** It grants more than the current request. */
const GRANTS_MORE = /\b(?:always|remember|session|again|auto|all|every)\b/;
/** Its shortcut, after the label. */
const SHORTCUT = /\s*\((?:esc|[a-z])\b[^)]*\)$/;
/** A shorter part of a word could match anything. */
const MIN_PART = 3;

/** Its number, or its position if the program shows none. */
export function numberOf(choice: Choice, option: ShownOption): string | undefined {
  if (option.number !== undefined) return option.number;
  return choice.options.some(({ number }) => number !== undefined)
    ? undefined
    : String(choice.options.indexOf(option) + 1);
}

/** Undefined if it matches none, or several. */
export function matchAnswer(choice: Choice, answer: string): Match | undefined {
  const whole = optionFor(choice, answer);
  if (whole === "several") return undefined;
  if (whole !== undefined) return { kind: "options", options: [whole] };
  if (choice.isSeveral && answer.includes(",")) {
    const each = answer.split(",").map((part) => optionFor(choice, part));
    if (each.every((option) => typeof option === "object")) return { kind: "options", options: each };
  }
  const takers = choice.options.filter(({ takesText }) => takesText === true);
  const [taker, ...others] = takers;
  if (taker === undefined || others.length > 0 || isPick(answer)) return undefined;
  // Words of consent would become the reason of a denial.
  return isConsent(answer) && DENIES.test(plain(taker.label))
    ? undefined
    : { kind: "text", option: taker, text: answer };
}

/** Only numbers of options, though there may be no such options. */
function isPick(answer: string): boolean {
  return /^\s*\d{1,2}(?:\s*,\s*\d{1,2})*\s*$/.test(answer);
}

export function hasNumbers(answer: string): boolean {
  return answer.split(",").some(isPick);
}

/** It reads like a yes, without being one of the words for it. */
export function isConsent(answer: string): boolean {
  return CONSENTS.test(plain(answer));
}

export function isRefusal({ label }: ShownOption): boolean {
  return DENIES.test(plain(label));
}

/** Whether only a visible option can be meant: a scrolling list may have more matches. */
export function isExact(choice: Choice, answer: string): boolean {
  return byNumber(choice, plain(answer)) !== undefined || byLabel(choice, plain(answer)).length === 1;
}

function optionFor(choice: Choice, answer: string): ShownOption | "several" | undefined {
  const wanted = plain(answer);
  if (wanted === "") return undefined;
  const exact = byNumber(choice, wanted) ?? only(byLabel(choice, wanted));
  if (exact !== undefined) return exact;
  if (YES.has(wanted)) return decided(choice, AFFIRMS);
  if (NO.has(wanted)) return decided(choice, DENIES);
  if (wanted.length < MIN_PART) return undefined;
  const parts = choice.options.filter(({ label }) => hasPart(plain(label), wanted));
  return parts.length > 1 ? "several" : parts[0];
}

function byNumber(choice: Choice, wanted: string): ShownOption | undefined {
  return choice.options.find((option) => numberOf(choice, option)?.toLowerCase() === wanted.replace(/[.)]$/, ""));
}

function byLabel({ options }: Choice, wanted: string): ShownOption[] {
  return options.filter(({ label }) => plain(label) === wanted || plain(label).replace(SHORTCUT, "") === wanted);
}

/** The option that answers yes or no to this request only. */
function decided({ options }: Choice, pattern: RegExp): ShownOption | "several" | undefined {
  const fitting = options.filter(({ label }) => pattern.test(plain(label)));
  const modest = fitting.filter(({ label }) => !GRANTS_MORE.test(plain(label)));
  const plainest = modest.filter(({ label }) => modest.every((other) => plain(other.label).startsWith(plain(label))));
  return fitting.length === 0 ? undefined : (only(fitting) ?? only(modest) ?? only(plainest) ?? "several");
}

function hasPart(label: string, part: string): boolean {
  const at = label.indexOf(part);
  return at === 0 || (at > 0 && !/[\p{L}\p{N}]/u.test(label[at - 1]!));
}

function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

function plain(text: string): string {
  return oneLine(text)
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/[.…]+$/, "")
    .trim();
}

/** The options in one line, with their numbers. */
export function optionsText(choice: Choice): string {
  return choice.options
    .map((option) => {
      const number = numberOf(choice, option);
      return `${number === undefined ? "" : `${number} `}${option.label}${option.takesText === true ? " (takes a text)" : ""}`;
    })
    .join(" · ");
}

export function noSuchOption(choice: Choice, answer: string): AgentMuxError {
  const how = choice.isSeveral ? "Pick some of" : "Pick one of";
  const more = choice.isScrolled ? " · …" : "";
  return new AgentMuxError(
    "VALIDATION_ERROR",
    `"${answer}" is not one of the options. ${choice.question} ${how}: ${optionsText(choice)}${more}. Nothing was typed.`,
  );
}
