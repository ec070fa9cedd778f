import { expect, it, vi } from "vitest";
import { DEADLINE_MS } from "../../../test/support/deadline.ts";
import { CELL, Grid } from "../render/grid.ts";
import { THEME } from "../theme.ts";
import { putCode } from "./code-line.ts";

const TEXT = 'const a = "b";';

function looks(language: string, marks: [number, number][] = []): { fg: number; bg: number }[] {
  const grid = new Grid(20, 1);
  grid.clear();
  putCode(grid, { x: 0, y: 0, width: 12, height: 1 }, TEXT, {
    look: THEME.added,
    language,
    marks,
    loaded: () => undefined,
  });
  expect(grid.text(0).trimEnd()).toBe(TEXT.slice(0, 12));
  return Array.from({ length: 12 }, (_, x) => ({ fg: grid.cells[x * CELL + 1]!, bg: grid.cells[x * CELL + 2]! }));
}

it("colours words and strings once the highlighter is loaded, on the line's background", async () => {
  await vi.waitUntil(() => looks("ts")[0]!.fg === THEME.accent.fg, { timeout: DEADLINE_MS });
  const cells = looks("ts", [[6, 7]]);
  expect(cells[4]).toEqual({ fg: THEME.accent.fg, bg: THEME.added.bg });
  expect(cells[10]).toEqual({ fg: THEME.good.fg, bg: THEME.added.bg });
  expect(cells[8]).toEqual(THEME.added);
  // A changed word.
  expect(cells[6]!.fg).toBeGreaterThan(0);
  expect(looks("no-such-language")[0]).toEqual(THEME.added);
});
