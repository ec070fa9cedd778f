import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { allLines, hasTornCells, terminalState } from "../../test/runner/support/terminal-state.ts";
import { isLong } from "../../test/torture/long-form.ts";
import { createEmulator, type Emulator } from "./emulator.ts";
import { useGraphemeWidths } from "./grapheme-widths.ts";
import { Screen } from "./screen.ts";
import { SILENT_LISTENER } from "./silent-listener.ts";

const HISTORY = 1000;
const SEEDS = isLong ? 1000 : 40;

function newScreen(cols = 20, rows = 6): Screen {
  return new Screen(cols, rows, HISTORY, SILENT_LISTENER);
}

function feed(target: Screen | Emulator, text: string): void {
  const bytes = Buffer.from(text);
  if (target instanceof Screen) target.feed(bytes);
  else target.core._inputHandler.parse(bytes);
}

/** A fresh emulator that received only the picture. */
function restored(screen: Screen): Emulator {
  const emulator = createEmulator(screen.cols, screen.rows, HISTORY);
  feed(emulator, screen.picture().screen);
  return emulator;
}

function replayOf(screen: Screen): string {
  const replay = screen.replay(HISTORY);
  return Buffer.concat(replay.above.map((piece) => piece.output())).toString("utf8") + replay.screen;
}

/** Compares the state now and after more output, which reveals hidden differences. */
function expectSame(output: string, more = ""): void {
  const screen = newScreen();
  feed(screen, output);
  const original = createEmulator(screen.cols, screen.rows, HISTORY);
  feed(original, output);
  const copy = restored(screen);
  expect(terminalState(copy)).toEqual(terminalState(original));
  feed(copy, more);
  feed(original, more);
  expect(terminalState(copy)).toEqual(terminalState(original));
}

test.each([
  ["plain text", "hello\r\nworld"],
  [
    "16, 256 and 24-bit colours",
    "\x1b[31ma\x1b[97;44mb\x1b[38;5;1mc\x1b[48;5;200md\x1b[38;2;1;2;3me\x1b[48;2;0;0;0mf\x1b[m",
  ],
  ["every attribute", "\x1b[1ma\x1b[2mb\x1b[3mc\x1b[4md\x1b[5me\x1b[7mf\x1b[8mg\x1b[9mh\x1b[53mi\x1b[mj"],
  ["underline styles and colours", "\x1b[4:3ma\x1b[58:2::9:8:7mb\x1b[4:2;58:5:3mc\x1b[4:5md\x1b[m"],
  ["wide, combining and joined characters", "結果é👩‍👩‍👧🇩🇪✓naïve"],
  ["flags in cells of their own that print as two", "\x1b[1;1H🇩\x1b[1;3H🇪\x1b[1;5Hx"],
  ["a line wrapped over three rows", `${"abcdefghij".repeat(5)}\r\nnext`],
  ["a wide character that did not fit", `${"x".repeat(19)}結果\r\n`],
  ["a wrapped row erased afterwards", `${"x".repeat(25)}\x1b[1;5H\x1b[K\x1b[2;1H\x1b[1X`],
  ["coloured empty cells", "\x1b[41m\x1b[2J\x1b[3;4Hx\x1b[K\x1b[m\x1b[5;5H\x1b[44m\x1b[3X"],
  ["a cursor waiting to wrap", `\x1b[3;1H${"y".repeat(20)}`],
  ["a cursor waiting to wrap after a wide character", `${"y".repeat(18)}結`],
  ["margins", "a\r\nb\r\nc\x1b[2;4r\x1b[3;2H"],
  ["margins and origin mode", "a\r\nb\r\nc\x1b[2;4r\x1b[?6h\x1b[2;3H"],
  ["a saved cursor", "\x1b[3;5H\x1b[1;32m\x1b7\x1b[m\x1b[5;1Hx"],
  ["tab stops", "\x1b[3g\x1b[5G\x1bH\x1b[11G\x1bH\r"],
  ["line drawing", "\x1b(0lqk\x1b(B\x0e"],
  ["line drawing through SO", "\x1b)0\x0eqq"],
  ["the alternate screen", "shell\r\n$ vim\x1b[?1049h\x1b[2J\x1b[2;3Hfile\x1b[1;5r"],
  ["the alternate screen without a saved cursor", "shell\x1b[?47h\x1b[Halt"],
  ["modes", "\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[?7l\x1b[?25l\x1b[4h\x1b[?45h"],
  ["a mode with a part that belongs to none", "\x1b[?1:9h"],
  ["mouse modes", "\x1b[?1000h\x1b[?1002h\x1b[?1006h"],
  ["mouse modes switched off by another", "\x1b[?1003h\x1b[?1006h\x1b[?1000l"],
  ["modes after a soft reset", "\x1b[?1h\x1b[?2004h\x1b[?25l\x1b[?1003h\x1b[!p"],
  ["everything after a full reset", "\x1b[31mx\x1b[?1h\x1b[?1003h\x1b[2;3r\x1bc"],
  ["links", "\x1b]8;;https://a.example/\x07link\x1b]8;;\x07 \x1b]8;id=1;https://b.example/\x07open"],
  ["an open link and attributes", "\x1b]8;;https://a.example/\x07\x1b[1;4mbold"],
])("a snapshot restores %s", (_, output) => {
  expect.hasAssertions();
  expectSame(output, `1${"z".repeat(30)}\r\n2\t3\x1b8q\x1b[?1049l\x1b[Bqq\r\n\n\n\n\nend`);
});

test("CSI 1 J in the last cell, which throws in xterm.js, erases", () => {
  const screen = newScreen();
  feed(screen, "top\x1b[?1049hgone\x1b[6;20Hx\x1b[6;20H\x1b[1Jy");
  expect(screen.text(6)).toEqual(["", "", "", "", "", `${" ".repeat(19)}y`]);
});

test("the kitty keyboard's flags are restored, for both screens", () => {
  const screen = newScreen();
  feed(screen, "\x1b[>1u\x1b[?1049h\x1b[>5u\x1b[=2;2u");
  expect(screen.picture().screen).toContain("\x1b[>1u\x1b[?1049h");
  expect(screen.picture().screen).toContain("\x1b[>7u");
  feed(screen, "\x1b[<u\x1b[?1049l\x1b[<u");
  expect(screen.picture().screen).not.toContain("u\x1b");
});

test("modes the emulator does not know are restored too", () => {
  const screen = newScreen();
  feed(screen, "\x1b[?2031h\x1b[?2048h\x1b[?2048l\x1b[3 q");
  const { screen: output } = screen.picture();
  expect(output).toContain("\x1b[?2031h");
  expect(output).not.toContain("2048");
  expect(output).toContain("\x1b[3 q");
});

test("a replay has every line, wrapped where it was", () => {
  const screen = newScreen();
  const original = createEmulator(20, 6, HISTORY);
  const output = Array.from({ length: 300 }, (_, n) => `\x1b[3${n % 8}mline ${n} \x1b[m${"=".repeat(n % 50)}`).join(
    "\r\n",
  );
  for (const target of [screen, original]) feed(target, output);
  const copy = createEmulator(20, 6, HISTORY);
  feed(copy, replayOf(screen));
  expect(allLines(copy)).toEqual(allLines(original));
  expect(terminalState(copy)).toEqual(terminalState(original));
});

test("lines kept as text change nothing visible", () => {
  const screen = newScreen();
  const original = createEmulator(20, 6, HISTORY);
  const output = Array.from({ length: 500 }, (_, n) => `\x1b[4${n % 8}mline ${n} ${"結=".repeat(n % 30)}\x1b[m`).join(
    "\r\n",
  );
  for (const target of [screen, original]) feed(target, `${output}\x1b[2;5r\x1b[3;3H`);
  const copy = createEmulator(20, 6, HISTORY);
  feed(copy, replayOf(screen));
  expect(terminalState(copy)).toEqual(terminalState(original));
  expect(allLines(copy).slice(-200)).toEqual(allLines(original).slice(-200));
  expect(allLines(copy)).toHaveLength(allLines(original).length);
});

test("packed lines wrap again at another width", () => {
  const screen = newScreen(20, 6);
  feed(screen, Array.from({ length: 700 }, (_, n) => `${n}:${"abc".repeat(20)}`).join("\r\n"));
  screen.resize(70, 6);
  expect(screen.text(10_000)[100]).toMatch(/^\d+:(abc){20}$/);
});

test("history stays under its limit, and an erased scrollback is gone", () => {
  const screen = newScreen();
  for (let n = 0; n < 10; n++) {
    feed(screen, Array.from({ length: 700 }, (_, i) => `${n}.${i}\r\n`).join(""));
  }
  expect(screen.picture().historyLines).toBe(HISTORY);
  expect(screen.text(100_000)).toHaveLength(HISTORY + 5);
  expect(screen.text(3)).toEqual(["9.697", "9.698", "9.699"]);
  feed(screen, "\x1b[3J");
  expect(screen.picture().historyLines).toBe(0);
});

/** Deterministic, so that a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const VOCABULARY = [
  "word ", "x", "結果", "é", "👩‍👩‍👧", "🇩🇪", "\u0301", "\r\n", "\n", "\r", "\b", "\t", "longer text that wraps around ",
  "\x1b[31m", "\x1b[48;5;77m", "\x1b[38;2;9;99;199m", "\x1b[m", "\x1b[1;4m", "\x1b[7m", "\x1b[4:3m", "\x1b[58:5:9m",
  "\x1b[H", "\x1b[3;7H", "\x1b[5;19H", "\x1b[A", "\x1b[2B", "\x1b[5C", "\x1b[3D", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[1J", "\x1b[2J",
  "\x1b[2X", "\x1b[3@", "\x1b[2P", "\x1b[L", "\x1b[2M", "\x1b[S", "\x1b[T", "\x1b[2;5r", "\x1b[r", "\x1bM", "\x1bD", "\x1b7", "\x1b8",
  "\x1b[?1049h", "\x1b[?1049l", "\x1b[?6h", "\x1b[?6l", "\x1b[?7l", "\x1b[?7h", "\x1b[4h", "\x1b[4l", "\x1b[?25l", "\x1b[?25h",
  "\x1b[?1000h", "\x1b[?1002h", "\x1b[?1006h", "\x1b[?1000l", "\x1b(0", "\x1b(B", "\x0e", "\x0f", "\x1b)0", "\x1b#8", "\x1b[3g", "\x1bH",
  "\x1b]8;;https://a.example/\x07", "\x1b]8;;\x07", "\x1b[!p", "\x1b[3b",
]; // prettier-ignore

test("random output, cut anywhere: a snapshot taken at any point restores the terminal", () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = randomNumbers(seed);
    const tokens = Array.from({ length: 60 + random(200) }, () => VOCABULARY[random(VOCABULARY.length)] ?? "");
    const bytes = Buffer.from(tokens.join(""));
    const screen = newScreen();
    const original = createEmulator(20, 6, HISTORY);
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + 1 + random(40));
      screen.feed(piece);
      at += piece.length;
    }
    original.core._inputHandler.parse(bytes);
    if (hasTornCells(original)) continue;
    expect(screen.unapplied).toBe(0);
    const copy = createEmulator(20, 6, HISTORY);
    feed(copy, screen.picture().screen);
    expect({ seed, ...terminalState(copy) }).toEqual({ seed, ...terminalState(original) });
  }
});

/** The published emulator, loaded again without our patches. */
function publishedEmulator(): Emulator {
  const terminal = new published.Terminal({ cols: 20, rows: 6, scrollback: HISTORY, allowProposedApi: true });
  useGraphemeWidths(terminal);
  const { _core: core } = terminal as unknown as { _core: Emulator["core"] };
  return { terminal, core, parse: (data) => void core._inputHandler.parse(data) };
}

const load = createRequire(import.meta.url);
delete load.cache[load.resolve("@xterm/headless")];
const published = load("@xterm/headless") as typeof import("@xterm/headless");

test("fast printing and erasing equal the emulator's own, cell for cell", () => {
  // It fails on this one.
  const vocabulary = VOCABULARY.filter((token) => token !== "\x1b[1J");
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = randomNumbers(seed);
    const tokens = Array.from({ length: 60 + random(200) }, () => vocabulary[random(vocabulary.length)] ?? "");
    const fast = createEmulator(20, 6, HISTORY);
    const slow = publishedEmulator();
    expect(slow.core.constructor).not.toBe(fast.core.constructor);
    for (const token of tokens) {
      feed(fast, token);
      feed(slow, token);
    }
    expect({ seed, ...terminalState(fast) }).toEqual({ seed, ...terminalState(slow) });
    expect(allCells(fast)).toEqual(allCells(slow));
  }
});

/** Every word of every cell, including invisible ones. */
function allCells({ core }: Emulator): (Uint32Array | undefined)[] {
  return [core.buffers.normal, core.buffers.alt].flatMap(({ lines }) =>
    Array.from({ length: lines.length }, (_, row) => lines.get(row)?._data),
  );
}

test("a viewer that joins anywhere, even inside a character or a sequence, sees what the others see", () => {
  const output = Buffer.from(
    "a\x1b[1;31m“quoted” — …\x1b]0;title\x07\x1b[4:3mé結\x1b]8;;https://a.example/\x1b\\x\x1b]8;;\x07\x1bP$q r\x1b\\\x1b[?1049h\x1b[2;2Hz",
  );
  const original = createEmulator(20, 6, HISTORY);
  original.core._inputHandler.parse(output);
  for (let at = 0; at <= output.length; at++) {
    const screen = newScreen();
    screen.feed(output.subarray(0, at));
    const viewer = createEmulator(20, 6, HISTORY);
    feed(viewer, screen.picture().screen);
    // In one piece: split characters are not the subject here.
    viewer.core._inputHandler.parse(output.subarray(at - screen.unapplied));
    expect({ at, ...terminalState(viewer) }).toEqual({ at, ...terminalState(original) });
  }
});

test("a viewer that joins inside a synchronized update shows nothing of it before its end", () => {
  const screen = newScreen();
  feed(screen, "whole\x1b[?2026h\x1b[2J\x1b[Hhalf");
  const viewer = restored(screen);
  expect(viewer.terminal.modes.synchronizedOutputMode).toBe(true);
  const rest = " and half\x1b[?2026l";
  feed(viewer, rest);
  feed(screen, rest);
  expect(viewer.terminal.modes.synchronizedOutputMode).toBe(false);
  expect(terminalState(viewer)).toEqual(terminalState(restored(screen)));
});

test("a viewer that joins inside a huge string swallows the rest of it", () => {
  const screen = newScreen();
  feed(screen, `before\x1b]1337;${"A".repeat(100_000)}`);
  const viewer = createEmulator(20, 6, HISTORY);
  feed(viewer, screen.picture().screen);
  expect(screen.unapplied).toBe(0);
  feed(viewer, `${"A".repeat(10)}\x07 after`);
  expect(viewer.terminal.buffer.active.getLine(0)?.translateToString(true)).toBe("before after");
});

test.each(["L", "M", "S", "T", "I", "Z", " @", " A", "'}", "'~", "b"])(
  "CSI 2147483647 %s does what one step for each row or column would do, at once",
  (final) => {
    const [huge, enough] = [2_147_483_647, 120].map((count) => {
      const screen = newScreen();
      feed(screen, `one\r\ntwo\r\nthree\x1b[2;2Hx\x1b[${count}${final}y`);
      return screen.picture();
    });
    expect(huge).toEqual(enough);
  },
);
