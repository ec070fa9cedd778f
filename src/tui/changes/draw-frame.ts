/** What is around the changed lines: title, files, the origin of the line with the cursor, keys. */
import type { ChangedFile, ChangeOrigin, SessionChanges } from "../../core/changes.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { fit } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Caret } from "../view.ts";
import type { LineEditor } from "../views/line-editor.ts";
import { hints } from "../views/panel.ts";
import { drawFile, originText } from "./draw-row.ts";

/** From this width on, the files are beside the lines; below it, above them. */
const BESIDE_FROM = 100;
const MAX_FILES_WIDTH = 40;
const MAX_FILES_ABOVE = 5;
const NOTICE_MS = 4000;

export type Filter = "staged" | "committed" | "sinceLook" | "mine";

const FILTERS: Readonly<Record<Filter, string>> = {
  staged: "staged",
  committed: "committed",
  sinceLook: "since your last look",
  mine: "by this session",
};

const HINTS = [
  ["]", "next hunk"],
  ["enter", "its message"],
  ["v", "select"],
  ["c", "comment"],
  ["l", "comments"],
  ["S", "send"],
  ["m", "this session's"],
  ["u", "unseen"],
] as const;

const KEPT_HINTS = [
  ["?", "help"],
  ["q", "close"],
] as const;

interface Places {
  title: Rect;
  files: Rect;
  lines: Rect;
  origin: Rect;
  foot: Rect;
}

export function placesIn(area: Rect, fileCount: number): Places {
  const { y, width, height } = area;
  const inner = { ...area, y: y + 1, height: Math.max(1, height - 3) };
  const ends = {
    title: { ...area, height: 1 },
    origin: { ...area, y: y + height - 2, height: 1 },
    foot: { ...area, y: y + height - 1, height: 1 },
  };
  if (width >= BESIDE_FROM) {
    const left = Math.min(MAX_FILES_WIDTH, Math.floor(width * 0.3));
    return {
      ...ends,
      files: { ...inner, width: left },
      lines: { ...inner, x: inner.x + left + 1, width: width - left - 1 },
    };
  }
  const above = Math.min(MAX_FILES_ABOVE, fileCount, Math.floor(inner.height / 3));
  return {
    ...ends,
    files: { ...inner, height: above },
    lines: { ...inner, y: inner.y + above, height: inner.height - above },
  };
}

export function drawTitle(
  grid: Grid,
  { x, y, width }: Rect,
  { name, changes, filters }: { name: string; changes: SessionChanges | undefined; filters: readonly Filter[] },
): void {
  grid.cover({ x, y, width, height: 1 }, THEME.bar, 0x20);
  const end = grid.put(x + 1, y, fit(`changes · ${name}`, Math.floor(width / 2)), THEME.barStrong);
  const { files = [], added = 0, removed = 0 } = changes ?? {};
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  const facts = changes === undefined ? "" : `${count} +${added} -${removed}`;
  const only = filters.length === 0 ? "" : ` · only ${filters.map((filter) => FILTERS[filter]).join(", ")}`;
  grid.put(end + 2, y, fit(`${facts}${only}`, x + width - end - 3), THEME.barAccent);
}

/** Those around the current one. */
export function drawFiles(
  grid: Grid,
  { x, y, width, height }: Rect,
  files: readonly ChangedFile[],
  path: string | undefined,
): void {
  const current = files.findIndex((file) => file.path === path);
  const from = Math.max(0, Math.min(current - Math.floor(height / 2), files.length - height));
  files.slice(from, from + height).forEach((file, at) => {
    drawFile(grid, { x, y: y + at, width, height: 1 }, file, from + at === current);
  });
  if (width < grid.width) for (let row = y; row < y + height; row++) grid.put(x + width, row, "│", THEME.faint);
}

export function drawOrigin(grid: Grid, { x, y, width }: Rect, origin: ChangeOrigin | undefined): void {
  grid.cover({ x, y, width, height: 1 }, THEME.bar, 0x20);
  if (origin === undefined) return;
  grid.put(x + 1, y, fit(`${originText(origin)}. ${origin.reason}`, width - 2), THEME.bar);
}

/** The keys; a new message of the interface instead, which has no other place here. */
export function drawFoot(
  grid: Grid,
  { x, y, width }: Rect,
  { search, said }: { search: LineEditor | undefined; said: { at: Date; text: string } | undefined },
): Caret | undefined {
  grid.cover({ x, y, width, height: 1 }, THEME.bar, 0x20);
  if (search !== undefined) {
    grid.put(x + 1, y, "/", THEME.barAccent);
    return search.draw(grid, x + 2, y, width - 3, THEME.bar);
  }
  if (said !== undefined && Date.now() - said.at.getTime() < NOTICE_MS)
    grid.put(x + 1, y, fit(said.text, width - 2), THEME.barStrong);
  else hints(grid, { x: x + 1, y, width: width - 2, height: 1 }, HINTS, THEME.barAccent, THEME.bar, KEPT_HINTS);
  return undefined;
}
