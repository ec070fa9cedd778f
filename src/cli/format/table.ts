/** Tables that fit the width: flexible columns shrink first, then cells are cut. */
import { oneLine } from "../../lib/text/text.ts";
import { cut, displayWidth, pad } from "./display-width.ts";

export interface Column<Row> {
  title: string;
  value(row: Row): string;
  /** Columns to leave free before the value. */
  indent?(row: Row): number;
  /** Styles the padded cell. */
  style?(text: string, row: Row): string;
  align?: "right";
  /** Shrinks to this width when the terminal is narrow. */
  min?: number;
  /** Dropped first if that is not enough; the highest goes first. */
  dispensable?: number;
}

const GAP = "  ";

export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  heading: (text: string) => string,
): string[] {
  const layout = fit(rows, columns, width);
  const lines = [
    heading(
      layout
        .map(({ column, size }) => pad(column.title, size, column.align))
        .join(GAP)
        .trimEnd(),
    ),
  ];
  for (const row of rows) {
    const cells = layout.map(({ column, size }) => {
      const text = pad(cut(cellText(column, row), size), size, column.align);
      return column.style ? column.style(text, row) : text;
    });
    lines.push(cells.join(GAP).trimEnd());
  }
  return lines;
}

/** Titles of columns that do not fit. */
export function hiddenColumns<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string[] {
  const shown = new Set(fit(rows, columns, width).map(({ column }) => column));
  return columns.filter((column) => !shown.has(column)).map(({ title }) => title);
}

function cellText<Row>(column: Column<Row>, row: Row): string {
  return " ".repeat(column.indent?.(row) ?? 0) + oneLine(column.value(row));
}

interface Placed<Row> {
  column: Column<Row>;
  size: number;
}

function fit<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): Placed<Row>[] {
  let placed = columns.map((column) => ({
    column,
    size: Math.max(displayWidth(column.title), ...rows.map((row) => displayWidth(cellText(column, row)))),
  }));
  for (;;) {
    const excess = placed.reduce((sum, { size }) => sum + size + GAP.length, -GAP.length) - width;
    if (excess <= 0) return placed;
    const shrinkable = placed.filter(({ column, size }) => column.min !== undefined && size > column.min);
    const widest = shrinkable.sort((a, b) => b.size - b.column.min! - (a.size - a.column.min!))[0];
    if (widest) {
      widest.size = Math.max(widest.column.min!, widest.size - excess);
      continue;
    }
    const dispensable = placed.filter(({ column }) => column.dispensable !== undefined);
    const victim = dispensable.sort((a, b) => b.column.dispensable! - a.column.dispensable!)[0];
    if (!victim) return placed;
    placed = placed.filter((candidate) => candidate !== victim);
  }
}
