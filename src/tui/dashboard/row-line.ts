/** One row of the list. As the terminal gets narrow, the least important columns go first. */
import { basename } from "node:path";
import type { Grid, Rect } from "../render/grid.ts";
import { localDay } from "../../lib/text/local-time.ts";
import { PLAIN, type Style } from "../render/style.ts";
import { fit, padded, widthOf } from "../render/text-width.ts";
import { isRunning } from "../data/row-order.ts";
import type { Row } from "../data/row.ts";
import { statusLook, THEME } from "../theme.ts";
import { age, bytes, compact, price } from "./figures.ts";

export interface RowFacts {
  now: number;
  /** Its name in lists. */
  agent: string;
  git?: { branch: string; dirty: boolean; ahead: number; behind: number; pr?: number };
  rssBytes?: number;
  selected: boolean;
  /** Selected for an action. */
  marked: boolean;
}

type ColumnName = "agent" | "branch" | "project" | "tokens" | "cost" | "memory" | "when";

interface Column {
  title: string;
  align: "left" | "right";
  most: number;
  text(row: Row, facts: RowFacts): string;
}

/** From left to right. */
const COLUMNS: Readonly<Record<ColumnName, Column>> = {
  agent: { title: "AGENT", align: "left", most: 21, text: (_, { agent }) => agent },
  branch: { title: "BRANCH", align: "left", most: 24, text: (_, { git }) => (git === undefined ? "" : gitText(git)) },
  project: { title: "PROJECT", align: "left", most: 20, text: (row) => basename(row.cwd) },
  tokens: { title: "TOKENS", align: "right", most: 6, text: ({ tokens }) => (tokens ? compact(tokens.total) : "") },
  cost: { title: "COST", align: "right", most: 8, text: ({ cost }) => (cost === undefined ? "" : price(cost)) },
  memory: {
    title: "MEM",
    align: "right",
    most: 5,
    text: (_, { rssBytes }) => (rssBytes === undefined ? "" : bytes(rssBytes)),
  },
  when: { title: "WHEN", align: "right", most: 11, text: whenText },
};
const NAMES = Object.keys(COLUMNS) as ColumnName[];

/** Columns in the order in which they are dropped. */
const LEAST_NEEDED: readonly ColumnName[] = ["memory", "tokens", "branch", "cost", "project", "agent"];
/** The minimum share of the line for names, and the minimum in cells. */
const NAME_SHARE = 0.45;
const MIN_NAME = 24;
const GAP = 2;
const MARGIN = 3;

export type ColumnWidths = ReadonlyMap<ColumnName, number>;

/** Columns are as wide as their content; empty ones are omitted. */
export function columnWidths(rows: readonly (readonly [Row, RowFacts])[], width: number): ColumnWidths {
  const widths = new Map<ColumnName, number>();
  for (const name of NAMES) {
    const { title, most, text } = COLUMNS[name];
    const size = rows.reduce((largest, [row, facts]) => Math.max(largest, widthOf(text(row, facts))), 0);
    if (size > 0) widths.set(name, Math.min(most, Math.max(size, title.length)));
  }
  const wanted = Math.max(MIN_NAME, Math.floor(width * NAME_SHARE));
  for (const name of LEAST_NEEDED) {
    if (width - MARGIN - taken(widths) >= wanted) break;
    widths.delete(name);
  }
  return widths;
}

function taken(widths: ColumnWidths): number {
  return [...widths.values()].reduce((sum, size) => sum + size + GAP, 1);
}

export function drawHeadings(grid: Grid, { x, y, width }: Rect, widths: ColumnWidths): void {
  grid.put(x + MARGIN, y, "SESSION", THEME.dim);
  let at = x + width - taken(widths) + GAP;
  for (const [name, size] of widths) {
    const { title, align } = COLUMNS[name];
    grid.put(at, y, padded(title, size, align), THEME.dim, size);
    at += size + GAP;
  }
}

export function drawRow(grid: Grid, area: Rect, row: Row, facts: RowFacts, widths: ColumnWidths): void {
  const { x, y, width } = area;
  const { selected } = facts;
  const base = selected ? THEME.selected : PLAIN;
  const dim = selected ? THEME.selectedDim : THEME.dim;
  if (selected) grid.cover({ x, y, width, height: 1 }, base, 0x20);
  const { icon, look } = statusLook(row.hasFailed === true ? "error" : row.status);
  if (facts.marked) grid.put(x, y, "▌", { fg: THEME.warn.fg, bg: base.bg });
  grid.put(x + 1, y, icon, { fg: look.fg, bg: selected ? base.bg : look.bg });
  const right = x + width - taken(widths) + GAP;
  let at = right;
  for (const [name, size] of widths) {
    const { align, text } = COLUMNS[name];
    const own = name === "agent" ? THEME.accent : name === "branch" ? THEME.good : dim;
    grid.put(at, y, padded(text(row, facts), size, align), selected ? (name === "agent" ? base : dim) : own, size);
    at += size + GAP;
  }
  drawName(grid, x + MARGIN, y, Math.max(0, right - GAP - x - MARGIN), row, base, dim);
}

/** The time in the current state; for a past session the date, unless that is today. */
function whenText({ kind, sinceMs, updatedMs }: Row, { now }: RowFacts): string {
  const isOld = now - updatedMs > DAY_MS;
  return kind === "past" && isOld ? localDay(new Date(updatedMs), new Date(now)) : age(sinceMs ?? updatedMs, now);
}

const DAY_MS = 24 * 3_600_000;

function gitText({ branch, dirty, ahead, behind, pr }: NonNullable<RowFacts["git"]>): string {
  const marks = [
    dirty ? "●" : "",
    ahead > 0 ? `↑${ahead}` : "",
    behind > 0 ? `↓${behind}` : "",
    pr === undefined ? "" : `#${pr}`,
  ].filter((mark) => mark !== "");
  const tail = marks.length === 0 ? "" : ` ${marks.join(" ")}`;
  return `${fit(branch, COLUMNS.branch.most - widthOf(tail))}${tail}`;
}

function drawName(grid: Grid, x: number, y: number, width: number, row: Row, base: Style, dim: Style): void {
  const strong = row.unread || isRunning(row);
  // The name gets more than half of the width, and what the message leaves.
  const nameRoom = row.message === "" ? width : Math.max(Math.floor(width * 0.55), width - widthOf(row.message) - 4);
  const look = strong ? { fg: base.fg === 0 ? THEME.bold.fg : base.fg, bg: base.bg } : row.kind === "past" ? base : dim;
  let at = grid.put(x, y, fit(row.name, nameRoom), look, width);
  if (row.unread)
    at = grid.put(at + 1, y, "•", { fg: THEME.accentBold.fg, bg: base.bg }, Math.max(0, x + width - at - 1));
  const left = x + width - at - 2;
  if (row.message !== "" && left > 3) grid.put(at + 2, y, fit(row.message, left), dim, left);
}

/** A line below a session with its sub-agents and team members. */
export function drawSubagents(grid: Grid, { x, y, width }: Rect, { others, team }: Row): void {
  let at = grid.put(x + 3, y, "└ ", THEME.faint);
  const names = [...others.map(({ agent, status }) => ({ name: agent, status })), ...team];
  for (const { name, status } of names) {
    const { icon, look } = statusLook(status);
    if (at + widthOf(name) + 4 > x + width) return;
    at = grid.put(at, y, icon, look);
    at = grid.put(at + 1, y, name, THEME.dim) + 2;
  }
}
