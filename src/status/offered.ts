/** What a session that asks offers to pick from: what is on its screen, else what its hook has told. */
import type { OfferedOption } from "../core/offer.ts";
import { SIGN_IN_ASK } from "../core/state.ts";
import { truncate } from "../lib/text/text.ts";
import type { SessionVerdict } from "../protocol/runner-api.ts";
import type { Choice } from "./shown-choice.ts";
import { numberOf } from "./choice-match.ts";

/** As much of a label as the wire takes. */
const MAX_LABEL = 200;

/** As many as the wire takes, with numbers of two digits. */
const MAX_OPTIONS = 99;

/** A hook that waits takes these words, whatever is shown. They have no numbers: a number means what is on the screen. */
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
  // Signing in is done at the terminal, whatever else can be picked there.
  if (verdict.ask === SIGN_IN_ASK) return verdict;
  if (choice !== undefined) {
    // Of several questions, the one that is shown; a permission is told best by who asks for it.
    const isShown = verdict.state === "waiting" && choice.question !== "";
    const message = isShown ? { message: choice.question } : {};
    return { ...verdict, ...message, options: optionsOnWire(choice), ...(choice.isSeveral ? { several: true } : {}) };
  }
  const isDecided = verdict.held === true && verdict.state === "permission";
  return isDecided && verdict.options === undefined ? { ...verdict, options: [...DECISIONS] } : verdict;
}
