/** One row of changes on the screen. */
import type { ChangedFile, ChangeHunk, ChangeLine, ChangeOrigin } from "../../core/changes.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { COLOR_BITS, type Style } from "../render/style.ts";
import { fit, padded, widthOf } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import { putCode, TAB } from "../views/code-line.ts";
import { changedWords, type Span } from "./changed-words.ts";
import type { ChangeRow } from "./change-rows.ts";

/** Two line numbers and the sign. */
const NUMBER = 5;
const GUTTER = 2 * NUMBER + 3;

const MARKS: Readonly<Record<ChangedFile["state"], string>> = {
  added: "A",
  untracked: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
  typechange: "T",
};

/** `loaded`: see `putCode`. */
export function drawChange(
  grid: Grid,
  place: Rect,
  row: ChangeRow,
  { isFolded, loaded }: { isFolded: boolean; loaded(): void },
): void {
  const { x, y, width } = place;
  switch (row.kind) {
    case "note":
      grid.put(x, y, fit(row.text, width), THEME.dim);
      return;
    case "file":
      drawFileLine(grid, place, row.file, isFolded);
      return;
    case "hunk":
      drawHunkLine(grid, place, row.hunk);
      return;
    case "comment":
      grid.put(x + GUTTER - 2, y, "▌", THEME.warn);
      grid.put(x + GUTTER, y, fit(row.text, width - GUTTER), THEME.warn);
      return;
    case "line":
      drawLine(grid, place, row, loaded);
  }
}

function drawFileLine(grid: Grid, { x, y, width }: Rect, file: ChangedFile, isFolded: boolean): void {
  grid.put(x, y, "─".repeat(width), THEME.faint);
  const name = file.oldPath === undefined ? file.path : `${file.oldPath} → ${file.path}`;
  const room = Math.max(0, width - String(file.added).length - String(file.removed).length - 12);
  let column = grid.put(x + 1, y, ` ${isFolded ? "▸" : "▾"} ${fit(name, room)} `, THEME.accentBold);
  column = grid.put(column, y, ` +${file.added}`, THEME.good);
  grid.put(column, y, ` -${file.removed} `, THEME.bad);
}

function drawHunkLine(grid: Grid, { x, y, width }: Rect, hunk: ChangeHunk): void {
  const { oldStart, oldLines, newStart, newLines, origin } = hunk;
  const end = grid.put(x, y, fit(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, width), THEME.accent);
  grid.put(end + 2, y, fit(originText(origin), x + width - end - 2), originLook(origin));
}

/** Who made it, in a few words. */
export function originText({ tier, agent, sessionTitle, sessionId, messageIndex }: ChangeOrigin): string {
  if (tier === "none" || sessionId === undefined) return "not by a session we know";
  const where = messageIndex === undefined ? "" : ` #${messageIndex}`;
  return `${tier} · ${agent ?? ""}${where} · ${sessionTitle || sessionId}`;
}

function originLook({ tier }: ChangeOrigin): Style {
  return tier === "proved" ? THEME.good : tier === "near" ? THEME.warn : THEME.dim;
}

function drawLine(
  grid: Grid,
  { x, y, width }: Rect,
  { file, hunk, at }: Extract<ChangeRow, { kind: "line" }>,
  loaded: () => void,
): void {
  const { kind, text, oldLine, newLine } = hunk.lines[at]!;
  const sign = kind === "added" ? "+" : kind === "removed" ? "-" : " ";
  const look = kind === "added" ? THEME.added : kind === "removed" ? THEME.removed : THEME.text;
  const isPlain = (look.fg & COLOR_BITS) === 0;
  const [, language = ""] = isPlain ? (/\.(\w+)$/.exec(file.path) ?? []) : [];
  const number = (line: number | undefined): string => padded(line === undefined ? "" : String(line), NUMBER, "right");
  grid.put(x, y, `${number(oldLine)} ${number(newLine)} `, THEME.faint, width);
  if ((look.bg & COLOR_BITS) !== 0)
    grid.cover({ x: x + GUTTER - 1, y, width: width - GUTTER + 1, height: 1 }, look, 0x20);
  grid.put(x + GUTTER - 1, y, sign, { fg: signLook(kind).fg, bg: look.bg }, width);
  const room = width - GUTTER - 1;
  const place = { x: x + GUTTER + 1, y, width: room, height: 1 };
  putCode(grid, place, text, { look, language, marks: spansIn(hunk).get(at) ?? [], loaded });
  if (widthOf(text.replaceAll("\t", TAB)) > room) grid.put(x + width - 1, y, "…", THEME.dim);
}

function signLook(kind: ChangeLine["kind"]): Style {
  return kind === "added" ? THEME.good : kind === "removed" ? THEME.bad : THEME.text;
}

const known = new WeakMap<ChangeHunk, ReadonlyMap<number, readonly Span[]>>();

/** Changed parts by line. Computed when the hunk is first seen: there may be thousands. */
function spansIn(hunk: ChangeHunk): ReadonlyMap<number, readonly Span[]> {
  const before = known.get(hunk);
  if (before !== undefined) return before;
  const found = new Map<number, readonly Span[]>();
  known.set(hunk, found);
  const { lines } = hunk;
  for (let at = 0; at < lines.length; at++) {
    if (lines[at]!.kind !== "removed") continue;
    const added = runEnd(lines, at, "removed");
    const end = runEnd(lines, added, "added");
    // The first removed line with the first added one, and so on.
    for (let pair = 0; at + pair < added && added + pair < end; pair++) {
      const spans = changedWords(lines[at + pair]!.text, lines[added + pair]!.text);
      if (spans === undefined) continue;
      found.set(at + pair, spans.before);
      found.set(added + pair, spans.after);
    }
    at = end - 1;
  }
  return found;
}

function runEnd(lines: ChangeHunk["lines"], from: number, kind: "added" | "removed"): number {
  let end = from;
  while (lines[end]?.kind === kind) end++;
  return end;
}

/** A line of the list of files. */
export function drawFile(grid: Grid, { x, y, width }: Rect, file: ChangedFile, isSelected: boolean): void {
  const counts = `+${file.added} -${file.removed}`;
  const look = isSelected ? THEME.selected : THEME.text;
  if (isSelected) grid.cover({ x, y, width, height: 1 }, look, 0x20);
  const room = Math.max(0, width - widthOf(counts) - 4);
  grid.put(x, y, MARKS[file.state], isSelected ? look : THEME.accent, width);
  grid.put(x + 2, y, shortPath(file.path, room), look, room);
  grid.put(x + width - widthOf(counts) - 1, y, counts, isSelected ? THEME.selectedDim : THEME.dim);
}

/** The end of a path says most. */
function shortPath(path: string, width: number): string {
  if (widthOf(path) <= width) return path;
  let cut = path;
  while (cut.includes("/") && widthOf(cut) >= width) cut = cut.slice(cut.indexOf("/") + 1);
  return fit(`…${cut}`, width);
}
