import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../test/support/seeded-random.ts";
import { anchorAt, linesOf, locate, type Anchor, type Place } from "./anchor.ts";

const FILE = linesOf(`import { price } from "./price.ts";

export function total(items) {
  let sum = 0;
  for (const item of items) {
    sum += price(item);
  }
  return sum;
}

export function count(items) {
  return items.length;
}
`);

/** A comment on `for` and the line below. */
const LOOP = anchorAt(FILE, 5, 2);

function edited(change: (lines: string[]) => void, anchor: Anchor = LOOP): Place {
  const lines = [...FILE];
  change(lines);
  return locate(anchor, lines);
}

describe("a comment's lines", () => {
  it("are where they were in an unchanged file", () => {
    expect(edited(() => undefined)).toEqual({ kind: "same", line: 5 });
  });

  it("move with lines that are added above them", () => {
    expect(edited((lines) => lines.unshift("// one", "// two"))).toEqual({ kind: "moved", line: 7 });
  });

  it("are found in another function, with other lines around them", () => {
    const moved = edited((lines) => {
      const [first, second] = lines.splice(4, 2);
      lines.push("export function later(items) {", first!, second!, "  }", "}");
    });
    expect(moved).toEqual({ kind: "moved", line: 13 });
  });

  it("are changed if another text stands between their surroundings", () => {
    expect(edited((lines) => lines.splice(4, 2, "  items.forEach((item) => {", "    sum += item.cents;"))).toEqual({
      kind: "changed",
      line: 5,
    });
  });

  it("are changed if only one of them is left", () => {
    expect(edited((lines) => lines.splice(4, 1))).toEqual({ kind: "changed", line: 5 });
  });

  it("are gone if they were deleted", () => {
    const after = edited((lines) => lines.splice(4, 2), anchorAt(FILE, 5, 2));
    expect(after).toEqual({ kind: "gone" });
    expect(locate(LOOP, [])).toEqual({ kind: "gone" });
  });

  it("are not guessed when a copy of them with their surroundings appears", () => {
    expect(edited((lines) => lines.push(...lines.slice(1, 10))).kind).toBe("changed");
  });

  it("are told from equal lines by their number, as long as that is the same", () => {
    const repeated = linesOf("a: 1\n".repeat(20));
    const anchor = anchorAt(repeated, 10, 1);
    expect(locate(anchor, repeated)).toEqual({ kind: "same", line: 10 });
    expect(locate(anchor, repeated.slice(1)).kind).toBe("changed");
  });

  it("are not taken for another bracket", () => {
    const anchor = anchorAt(["{", "}", "", "x"], 2, 1);
    expect(locate(anchor, ["const answer = 1;", "[", "}", "y"]).kind).toBe("changed");
  });

  it("ignore how lines end", () => {
    expect(locate(anchorAt(linesOf("one\r\ntwo\r\n"), 2, 1), linesOf("one\ntwo"))).toEqual({ kind: "same", line: 2 });
  });
});

describe("after any edits", () => {
  /** Words from a small set, so that equal lines are common. */
  const WORDS = [
    "}",
    "{",
    "",
    "return total;",
    "const total = items.length;",
    "if (total > limit) {",
    "// next",
    "next();",
  ];

  it("a line that is called the same or moved has the comment's text, and is its line if each line is unlike the others", () => {
    const random = randomFrom(7);
    for (let round = 0; round < 1000; round++) {
      const isDistinct = round % 2 === 0;
      const size = 5 + random(40);
      const line = (number: number): string =>
        isDistinct ? `statement number ${number} of round ${round}` : WORDS[random(WORDS.length)]!;
      const before = Array.from({ length: size }, (_, index) => ({ text: line(index), was: index }));
      const length = 1 + random(4);
      const at = random(size - length);
      const anchor = anchorAt(
        before.map(({ text }) => text),
        at + 1,
        length,
      );
      const after = [...before];
      for (let edit = random(5); edit > 0; edit--) {
        const place = random(after.length + 1);
        if (random(2) === 0) after.splice(place, 0, { text: line(1000 + edit), was: -1 });
        else after.splice(place, 1 + random(3));
      }
      const texts = after.map(({ text }) => text);
      const place = locate(anchor, texts);
      const isFound = place.kind === "same" || place.kind === "moved";
      if (isFound) {
        expect(texts.slice(place.line! - 1, place.line! - 1 + length)).toEqual(anchor.quote);
        expect(place.kind === "same").toBe(place.line === anchor.line);
      }
      if (!isDistinct) continue;
      const now = after.findIndex(({ was }) => was === at);
      const isWhole = now !== -1 && anchor.quote.every((text, index) => texts[now + index] === text);
      if (isWhole) expect(place).toEqual({ kind: now === at ? "same" : "moved", line: now + 1 });
      else expect(isFound).toBe(false);
    }
  });
});
