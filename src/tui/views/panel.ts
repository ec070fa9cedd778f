/** The box around a dialog. */
import type { Grid, Rect } from "../render/grid.ts";
import type { Style } from "../render/style.ts";
import { fit, widthOf } from "../render/text-width.ts";
import { THEME } from "../theme.ts";

/** A centred dialog of at most this size. */
export function centred(area: Rect, width: number, height: number): Rect {
  const w = Math.min(width, area.width);
  const h = Math.min(height, area.height);
  return {
    x: area.x + Math.floor((area.width - w) / 2),
    y: area.y + Math.floor((area.height - h) / 3),
    width: w,
    height: h,
  };
}

/** Draws the box and returns its inside. */
export function panel(grid: Grid, area: Rect, title: string, hint = "", look: Style = THEME.panel): Rect {
  const { x, y, width, height } = area;
  grid.cover(area, look, 0x20);
  if (width < 4 || height < 3) return area;
  const line = "─".repeat(width - 2);
  grid.put(x, y, `╭${line}╮`, THEME.panelDim);
  for (let row = y + 1; row < y + height - 1; row++) {
    grid.put(x, row, "│", THEME.panelDim);
    grid.put(x + width - 1, row, "│", THEME.panelDim);
  }
  grid.put(x, y + height - 1, `╰${line}╯`, THEME.panelDim);
  if (title !== "") grid.put(x + 2, y, ` ${fit(title, width - 6)} `, THEME.panelTitle);
  if (hint !== "") {
    const text = ` ${fit(hint, width - 6)} `;
    grid.put(x + width - 2 - widthOf(text), y + height - 1, text, THEME.panelDim);
  }
  return { x: x + 2, y: y + 1, width: width - 4, height: height - 2 };
}

/** `key meaning` pairs in one line, as many as fit. */
export function hints(
  grid: Grid,
  area: Rect,
  pairs: readonly (readonly [string, string])[],
  key: Style,
  text: Style,
  /** Always shown, at the end; the others get the remaining width. */
  kept: readonly (readonly [string, string])[] = [],
): void {
  const sizeOf = ([name, meaning]: readonly [string, string]): number => widthOf(name) + widthOf(meaning) + 3;
  const keptSize = kept.reduce((sum, pair) => sum + sizeOf(pair), 0);
  const end = area.x + area.width;
  let x = area.x;
  for (const pair of [...pairs, ...kept]) {
    // The gap after the last pair may be cut.
    if (x + sizeOf(pair) - 2 + (kept.includes(pair) ? 0 : keptSize) > end) continue;
    x = grid.put(x, area.y, pair[0], key);
    x = grid.put(x + 1, area.y, pair[1], text) + 2;
  }
}
