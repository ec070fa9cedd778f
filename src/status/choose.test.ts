/** Selecting in lists that show only some of their options. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readChoice } from "./choice.ts";
import { choose } from "./choose.ts";
import type { ShownRow } from "./shown-row.ts";
import type { OperatorKey, TerminalOperator } from "./terminal-operator.ts";

/** The list is drawn at once: only the pauses would take time. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  vi.setTimerTickMode("nextTimerAsync");
});
afterEach(() => void vi.useRealTimers());

const THEMES = ["Atom", "Ayu", "Dracula", "Github", "Nord", "Solar", "Tokyo", "Vivid", "Xcode"];
const HEIGHT = 4;

interface Kind {
  numbered?: boolean;
  wraps?: boolean;
  several?: boolean;
  marked?: number;
}

class List implements TerminalOperator {
  marked: number;
  readonly checked = new Set<string>();
  taken: string | undefined;
  readonly #kind: Kind;
  #top = 0;

  constructor(kind: Kind) {
    this.#kind = kind;
    this.marked = kind.marked ?? 0;
    this.#scroll();
  }

  readonly rows = (): ShownRow[] => {
    if (this.taken !== undefined) return [{ text: "❯ " }];
    const { numbered, several } = this.#kind;
    const options = THEMES.map((label, at) => {
      const box = several === true ? `[${this.checked.has(label) ? "x" : " "}] ` : "";
      return `${at === this.marked ? "❯" : " "} ${numbered === true ? `${at + 1}. ` : ""}${box}${label}`;
    });
    const hint = `  (${this.marked + 1}/${THEMES.length}) ↑↓ navigate, space to check, enter to submit`;
    const lines = ["Which theme?", "", ...options.slice(this.#top, this.#top + HEIGHT), hint];
    return lines.map((text) => ({ text }));
  };

  readonly press = (key: OperatorKey): void => {
    const last = THEMES.length - 1;
    if (key === "down") this.marked = this.marked < last ? this.marked + 1 : this.#kind.wraps === true ? 0 : last;
    else if (key === "up") this.marked = this.marked > 0 ? this.marked - 1 : this.#kind.wraps === true ? last : 0;
    else if (key === "space" && !this.checked.delete(this.#label)) this.checked.add(this.#label);
    else if (key === "enter") this.taken = this.#kind.several === true ? [...this.checked].sort().join() : this.#label;
    this.#scroll();
  };

  readonly say = (): void => undefined;

  get #label(): string {
    return THEMES[this.marked]!;
  }

  #scroll(): void {
    this.#top = Math.min(Math.max(this.#top, this.marked - HEIGHT + 1), this.marked);
  }
}

const KINDS: [string, Kind][] = [
  ["with numbers", { numbered: true }],
  ["with numbers that wraps", { numbered: true, wraps: true }],
  ["without numbers", {}],
  ["without numbers that wraps", { wraps: true }],
  ["without numbers, marked in the middle", { marked: 4 }],
];

test.each(KINDS)("an option out of sight is found and taken in a list %s", async (_, kind) => {
  for (const wanted of ["Atom", "Solar", "Xcode"]) {
    const list = new List(kind);
    expect(await choose(list, readChoice(list.rows())!, wanted)).toEqual({ isTaken: true, option: wanted });
    expect(list.taken).toBe(wanted);
  }
});

test.each(KINDS)("options out of sight are checked in a list %s", async (_, kind) => {
  const list = new List({ ...kind, several: true });
  expect(await choose(list, readChoice(list.rows())!, "Atom, Xcode")).toMatchObject({ isTaken: true });
  expect(list.taken).toBe("Atom,Xcode");
});

test("a part that matches an option in sight and one out of sight chooses nothing", async () => {
  const list = new List({});
  await expect(choose(list, readChoice(list.rows())!, "vivid or nord")).rejects.toThrow("not one of the options");
  expect(list.taken).toBeUndefined();
});

test("text for an option is not submitted so early that Enter counts as part of a paste", async () => {
  let [text, pastedAt, isOver] = ["", 0, false];
  const operator: TerminalOperator = {
    rows: () =>
      (isOver ? ["❯ "] : ["Which colour?", "", "  1. Red", `❯ 2. ${text || "Other"}`]).map((each) => ({ text: each })),
    press: (key) => void (isOver ||= key === "enter" && performance.now() - pastedAt > 150),
    say(words) {
      text += words;
      pastedAt = performance.now();
    },
  };
  const choice = readChoice(operator.rows() as ShownRow[])!;
  expect(await choose(operator, choice, "green")).toEqual({ isTaken: true, option: "Other" });
});

test("text for an option is not submitted to a question that opened after it was typed", async () => {
  let [text, typedAt] = ["", Infinity];
  const pressed: OperatorKey[] = [];
  const operator: TerminalOperator = {
    rows() {
      const isOther = performance.now() - typedAt > 150;
      const lines = isOther
        ? ["Delete everything? green", "", "❯ 1. Yes", "  2. No"]
        : ["Which colour?", "", "  1. Red", `❯ 2. ${text || "Other"}`];
      return lines.map((each) => ({ text: each }));
    },
    press: (key) => void pressed.push(key),
    say(words) {
      text += words;
      typedAt = performance.now();
    },
  };
  const choice = readChoice(operator.rows() as ShownRow[])!;
  await expect(choose(operator, choice, "green")).rejects.toThrow("Enter was not pressed");
  expect(pressed).toEqual([]);
});

test("an option that shows no text is not opened with Enter when another question is there by then", async () => {
  let isOther = false;
  const pressed: OperatorKey[] = [];
  const operator: TerminalOperator = {
    rows: () =>
      (isOther
        ? ["Delete everything?", "", "❯ 1. Yes", "  2. No"]
        : ["Which colour?", "", "  1. Red", "❯ 2. Other"]
      ).map((text) => ({ text })),
    press: (key) => void pressed.push(key),
    say: () => void (isOther = true),
  };
  const choice = readChoice(operator.rows() as ShownRow[])!;
  await expect(choose(operator, choice, "green")).rejects.toThrow("Nothing was sent");
  expect(pressed).toEqual([]);
});
