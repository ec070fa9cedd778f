import { expect, test } from "vitest";
import type { Choice } from "./shown-choice.ts";
import { matchAnswer } from "./choice-match.ts";

function choice(labels: readonly string[], more: Partial<Choice> = {}): Choice {
  const options = labels.map((label, at) => {
    const takesText = label.endsWith("…");
    const text = label.replace(/…$/, "");
    return { number: String(at + 1), label: text, isMarked: at === 0, ...(takesText ? { takesText } : {}) };
  });
  return { question: "?", options, isSeveral: false, isAcross: false, isScrolled: false, ...more };
}

function meant(labels: readonly string[], answer: string, more: Partial<Choice> = {}): string | undefined {
  const match = matchAnswer(choice(labels, more), answer);
  if (match === undefined) return undefined;
  return match.kind === "text" ? `text: ${match.text}` : match.options.map(({ label }) => label).join(" + ");
}

const PERMISSION = ["Yes", "Yes, and don't ask again for: make *", "No, and do something else (esc)"];
const COLOURS = ["Dark red", "Light red", "Blue", "Other…"];

test.each([
  [PERMISSION, "2", "Yes, and don't ask again for: make *"],
  [PERMISSION, "allow", "Yes"],
  [PERMISSION, "YES", "Yes"],
  [PERMISSION, "deny", "No, and do something else (esc)"],
  [PERMISSION, "don’t ask again", "Yes, and don't ask again for: make *"],
  [PERMISSION, "4", undefined],
  [PERMISSION, "no, and do something else", "No, and do something else (esc)"],
  [PERMISSION, "stop, do not write that", undefined],
  [["Yes, proceed (y)", "Yes, and always (p)", "No (esc)"], "yes", "Yes, proceed (y)"],
  [["Allow once", "Allow always", "Reject"], "allow", "Allow once"],
  [["Trust folder (shop)", "Trust parent folder (dev)", "Don't trust"], "allow", undefined],
  [["Trust folder (shop)", "Trust parent folder (dev)", "Don't trust"], "no", "Don't trust"],
  [["Trust", "Trust parent", "Do not trust"], "yes", "Trust"],
  [["Yes, set auto mode", "No, keep manual mode"], "keep manual", "No, keep manual mode"],
  // Two match, so neither is meant, and it is not free text either.
  [COLOURS, "red", undefined],
  [COLOURS, "blue", "Blue"],
  [COLOURS, "green with 3 dots", "text: green with 3 dots"],
  [COLOURS, "9", undefined],
  [COLOURS, "1, 9", undefined],
  // Consent is never the reason of a denial.
  [["Yes", "No, and tell Copilot what to do differently…"], "ok, go ahead", undefined],
  [["Yes", "No, and tell Copilot what to do differently…"], "okra instead", "text: okra instead"],
  // The middle of a word does not match.
  [["Restart", "Start over"], "art", undefined],
  [["Restart", "Start over"], "start", "Start over"],
])("of %j %s means %s", (labels, answer, wanted) => {
  expect(meant(labels, answer)).toBe(wanted);
});

test("several are chosen by a list, each of which must match one", () => {
  const several = { isSeveral: true };
  expect(meant(["Cheese", "Olives", "Onions"], "cheese, 3", several)).toBe("Cheese + Onions");
  expect(meant(["Cheese", "Olives", "Onions"], "cheese, ham", several)).toBeUndefined();
  expect(meant(["Cheese", "Olives", "Onions"], "cheese, 3")).toBeUndefined();
});
