/** One row of the dashboard as cells: columns that go, the least important first, as the terminal gets narrow. */
import type { Grid, Rect } from "../render/grid.ts";
import { PLAIN, type Style } from "../render/style.ts";
import { fit, padded, widthOf } from "../render/text-width.ts";
import { isRunning } from "../data/row-order.ts";
import type { Row } from "../data/row.ts";
import { statusLook, THEME } from "../theme.ts";
import { age, bytes, compact, homely, price } from "./figures.ts";

export interface RowFacts {
  now: number;
  home: string;
  git?: { branch: string; dirty: boolean; ahead: number; behind: number; pr?: number };
  rssBytes?: number;
  selected: boolean;
}

/** From this width on the column is there. */
const WITH_AGENT = 60;
const WITH_GIT = 80;
const WITH_FIGURES = 100;
const WITH_DIRECTORY = 130;

const AGENT_WIDTH = 9;
const GIT_WIDTH = 24;
const DIRECTORY_WIDTH = 28;

export function drawRow(grid: Grid, area: Rect, row: Row, facts: RowFacts): void {
  const { x, y, width } = area;
  const { now, selected } = facts;
  const base = selected ? THEME.selected : PLAIN;
  const dim = selected ? THEME.selectedDim : THEME.dim;
  if (selected) grid.cover({ x, y, width, height: 1 }, base, 0x20);
  const { icon, look } = statusLook(row.status);
  grid.put(x + 1, y, icon, { fg: look.fg, bg: selected ? base.bg : look.bg });
  const ageText = age(row.sinceMs ?? row.updatedMs, now);
  grid.put(x + width - 5, y, padded(ageText, 4, "right"), dim);
  let right = x + width - 6;
  const column = (text: string, size: number, columnLook: Style, align: "left" | "right" = "right"): void => {
    right -= size + 1;
    grid.put(right, y, padded(text, size, align), columnLook, size);
  };
  if (width >= WITH_FIGURES) {
    column(facts.rssBytes === undefined ? "" : bytes(facts.rssBytes), 5, dim);
    column(row.cost === undefined ? "" : price(row.cost), 7, dim);
    column(row.tokens === undefined ? "" : compact(row.tokens.total), 5, dim);
  }
  if (width >= WITH_DIRECTORY) column(homely(row.cwd, facts.home, DIRECTORY_WIDTH), DIRECTORY_WIDTH, dim, "left");
  if (width >= WITH_GIT) {
    right -= GIT_WIDTH + 1;
    drawGit(grid, right, y, facts, base, dim);
  }
  if (width >= WITH_AGENT) column(row.agent, AGENT_WIDTH, selected ? base : THEME.accent, "left");
  drawName(grid, x + 3, y, Math.max(0, right - x - 4), row, base, dim);
}

function drawName(grid: Grid, x: number, y: number, width: number, row: Row, base: Style, dim: Style): void {
  const strong = row.unread || isRunning(row);
  // The name has what the message leaves, and more than half in any case.
  const nameRoom = row.message === "" ? width : Math.max(Math.floor(width * 0.55), width - widthOf(row.message) - 4);
  const look = strong ? { fg: base.fg === 0 ? THEME.bold.fg : base.fg, bg: base.bg } : row.kind === "past" ? base : dim;
  let at = grid.put(x, y, fit(row.name, nameRoom), look, width);
  if (row.unread)
    at = grid.put(at + 1, y, "•", { fg: THEME.accentBold.fg, bg: base.bg }, Math.max(0, x + width - at - 1));
  const left = x + width - at - 2;
  if (row.message !== "" && left > 3) grid.put(at + 2, y, fit(row.message, left), dim, left);
}

function drawGit(grid: Grid, x: number, y: number, { git }: RowFacts, base: Style, dim: Style): void {
  if (git === undefined) return;
  const marks = [
    git.dirty ? "●" : "",
    git.ahead > 0 ? `↑${git.ahead}` : "",
    git.behind > 0 ? `↓${git.behind}` : "",
    git.pr === undefined ? "" : `#${git.pr}`,
  ].filter((mark) => mark !== "");
  const tail = marks.join(" ");
  const end = grid.put(
    x,
    y,
    fit(git.branch, GIT_WIDTH - widthOf(tail) - 1),
    { fg: base.fg === 0 ? THEME.good.fg : base.fg, bg: base.bg },
    GIT_WIDTH,
  );
  if (tail !== "")
    grid.put(
      end + 1,
      y,
      tail,
      base.fg === 0 ? { fg: THEME.warn.fg, bg: 0 } : dim,
      Math.max(0, x + GIT_WIDTH - end - 1),
    );
}

/** The agents and team members of a session in one line under it. */
export function drawHelpers(grid: Grid, { x, y, width }: Rect, { others, team }: Row): void {
  let at = grid.put(x + 3, y, "└ ", THEME.faint);
  const names = [...others.map(({ agent, status }) => ({ name: agent, status })), ...team];
  for (const { name, status } of names) {
    const { icon, look } = statusLook(status);
    if (at + widthOf(name) + 4 > x + width) return;
    at = grid.put(at, y, icon, look);
    at = grid.put(at + 1, y, name, THEME.dim) + 2;
  }
}
