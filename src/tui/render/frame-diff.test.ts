/** After every diff the terminal, here an emulator, shows exactly the grid. */
import { expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../screen/emulator.ts";
import { colorDepth, reducer } from "./color-depth.ts";
import { copyLine } from "./emulator-cells.ts";
import { FrameDiff } from "./frame-diff.ts";
import { CELL, EMPTY, Grid } from "./grid.ts";
import { PLAIN, style } from "./style.ts";
import { fit, padded, widthOf, wrapped } from "./text-width.ts";

const SPACE = EMPTY | 0x20;

/** A space and an empty cell look the same. */
function looks(grid: Grid): number[] {
  return Array.from(grid.cells, (word, at) => (at % CELL === 0 && word === SPACE ? EMPTY : word));
}

function shownBy({ terminal, core }: Emulator): Grid {
  const grid = new Grid(terminal.cols, terminal.rows);
  const { active } = core.buffers;
  for (let y = 0; y < terminal.rows; y++) copyLine(core, active.lines.get(active.ybase + y), grid, y);
  return grid;
}

/** A seeded generator. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

const PIECES = ["a", "Hello world", "日本語", "é", "e\u0301x", "👩‍👩‍👧", "│", "⠋", "✓", "   ", "─────", "🇩🇪", "ﬁ", "한글"];

test("the difference of two frames is exactly what was missing", () => {
  const random = numbers(7);
  const emulator = createEmulator(40, 9, 0);
  const diff = new FrameDiff((word) => word);
  let shown: Grid | undefined;
  for (let frame = 0; frame < 300; frame++) {
    const next = new Grid(40, 9);
    if (shown !== undefined) next.cells.set(shown.cells);
    if (frame % 17 === 0) next.clear();
    for (let write = 0; write < 1 + random(8); write++) {
      const look = style({
        ...(random(2) ? { fg: random(256) } : { fg: "#12ab9f" }),
        ...(random(3) ? {} : { bg: random(16) }),
        bold: random(3) === 0,
        underline: random(4) === 0,
        inverse: random(5) === 0,
        italic: random(6) === 0,
      });
      next.put(random(44) - 2, random(9), PIECES[random(PIECES.length)]!, random(2) ? look : PLAIN);
      if (random(6) === 0) next.cover({ x: random(40), y: random(9), width: random(20), height: random(3) }, look);
    }
    emulator.core._inputHandler.parse(diff.update(shown, next));
    expect(looks(shownBy(emulator)), `frame ${frame}`).toEqual(looks(next));
    shown = next;
  }
});

test("a program's cells arrive with underline styles and links", () => {
  const program = createEmulator(30, 3, 0);
  program.core._inputHandler.parse(
    Buffer.from("\x1b[4:3;58:5:9mcurly\x1b[m \x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\ \x1b[38;2;1;2;3mrgb"),
  );
  const wanted = shownBy(program);
  const host = createEmulator(30, 3, 0);
  host.core._inputHandler.parse(new FrameDiff((word) => word).update(undefined, wanted));
  expect(looks(shownBy(host))).toEqual(looks(wanted));
});

test("nothing is written when nothing changed, and little when little did", () => {
  const diff = new FrameDiff((word) => word);
  const first = new Grid(80, 24);
  first.put(0, 5, "some text that stays");
  const second = new Grid(80, 24);
  second.cells.set(first.cells);
  expect(diff.update(first, second)).toHaveLength(0);
  second.put(5, 5, "T");
  expect(diff.update(first, second).toString()).toBe("\x1b[6;6HT");
});

test("colours are reduced to what the terminal has", () => {
  const grid = new Grid(3, 1);
  grid.put(0, 0, "x", style({ fg: "#ff8700", bg: 200 }));
  const output = (depth: Parameters<typeof reducer>[0]): string =>
    new FrameDiff(reducer(depth)).update(undefined, grid).toString();
  expect(output("true")).toContain("38;2;255;135;0;48;5;200m");
  expect(output("256")).toContain("38;5;208;48;5;200m");
  expect(output("16")).toMatch(/\x1b\[0;(3|9)\d;(4|10)\dm/);
  expect(output("none")).not.toMatch(/[34]8;|\x1b\[0;/);
  expect(colorDepth({ TERM: "xterm-256color", NO_COLOR: "1", COLORTERM: "truecolor" })).toBe("none");
  expect(colorDepth({ TERM: "xterm-256color", COLORTERM: "truecolor" })).toBe("true");
  expect(colorDepth({ TERM: "tmux-256color" })).toBe("256");
  expect(colorDepth({ TERM: "linux" })).toBe("16");
});

test("text is measured and cut in columns", () => {
  expect(widthOf("日本")).toBe(4);
  expect(widthOf("e\u0301")).toBe(1);
  expect(widthOf("\x1b[31mred")).toBe(7);
  expect(fit("日本語", 5)).toBe("日本…");
  expect(padded("ab", 4, "right")).toBe("  ab");
  expect(wrapped("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrapped("abcdefgh", 3)).toEqual(["abc", "def", "gh"]);
});

test("no control of a program's screen that reorders text reaches the terminal", async () => {
  const emulator = createEmulator(10, 2, 0);
  await new Promise<void>((resolve) => emulator.terminal.write("a\u202eb\u2066\r\nc\u0301\u202ed", resolve));
  const output = new FrameDiff((word) => word).update(undefined, shownBy(emulator)).toString();
  expect(output).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  expect(output).toMatch(/a.*b.*c\u0301.*d/s);
});
