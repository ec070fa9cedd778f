/** The options of a session's question: from its screen, otherwise from its hook. */
import type { OfferedOption } from "../core/offer.ts";
import { SIGN_IN_ASK } from "../core/state.ts";
import { truncate } from "../lib/text/text.ts";
import type { SessionVerdict } from "../protocol/runner-api.ts";
import type { Choice } from "./shown-choice.ts";
import { numberOf } from "./choice-match.ts";

/** Limit of a label on the wire. */
const MAX_LABEL = 200;

/** Limit on the wire, with two-digit numbers. */
const MAX_OPTIONS = 99;

/**
 * A waiting hook accepts these words, whatever is on the screen. They have no numbers: a number means an option on the screen.
 */
const DECISIONS: readonly OfferedOption[] = [{ label: "Allow" }, { label: "Deny" }];

export function optionsOnWire(choice: Choice): OfferedOption[] {
  return choice.options.slice(0, MAX_OPTIONS).map((option) => {
    const number = numberOf(choice, option);
    return {
      ...(number === undefined ? {} : { number }),
      label: truncate(option.label, MAX_LABEL),
      ...(option.isMarked ? { marked: true } : {}),
      ...(option.isChecked === undefined ? {} : { checked: option.isChecked }),
      ...(option.takesText === true ? { takes_text: true } : {}),
    };
  });
}

export function withOffer(verdict: SessionVerdict, choice: Choice | undefined): SessionVerdict {
  // Signing in happens at the terminal, whatever options it shows.
  if (verdict.ask === SIGN_IN_ASK) return verdict;
  if (choice !== undefined) {
    // Of several questions, the visible one; a permission is described best by its hook.
    const isShown = choice.question !== "" && (verdict.state === "waiting" || verdict.message === undefined);
    const message = isShown ? { message: choice.question } : {};
    return { ...verdict, ...message, options: optionsOnWire(choice), ...(choice.isSeveral ? { several: true } : {}) };
  }
  const isDecided = verdict.held === true && verdict.state === "permission";
  return isDecided && verdict.options === undefined ? { ...verdict, options: [...DECISIONS] } : verdict;
}
