/** A binary tree of splits. Immutable data; every change returns a new tree. */
import type { Rect } from "../render/grid.ts";

/** `row`: side by side. `column`: one above the other. */
export type Direction = "row" | "column";

export type SplitNode =
  | { kind: "pane"; pane: string }
  | { kind: "split"; direction: Direction; ratio: number; first: SplitNode; second: SplitNode };

/** The minimum size of a pane, including its title line. */
export const MIN_PANE_WIDTH = 10;
export const MIN_PANE_HEIGHT = 4;

export function paneNode(pane: string): SplitNode {
  return { kind: "pane", pane };
}

export function panesOf(node: SplitNode | undefined): string[] {
  if (node === undefined) return [];
  return node.kind === "pane" ? [node.pane] : [...panesOf(node.first), ...panesOf(node.second)];
}

export function split(node: SplitNode, pane: string, added: string, direction: Direction): SplitNode {
  return replace(node, pane, (found) => ({
    kind: "split",
    direction,
    ratio: 0.5,
    first: found,
    second: paneNode(added),
  }));
}

/** Undefined if nothing is left. */
export function without(node: SplitNode, pane: string): SplitNode | undefined {
  if (node.kind === "pane") return node.pane === pane ? undefined : node;
  const first = without(node.first, pane);
  const second = without(node.second, pane);
  if (first === undefined || second === undefined) return first ?? second;
  return first === node.first && second === node.second ? node : { ...node, first, second };
}

export function renamed(node: SplitNode, names: Readonly<Record<string, string>>): SplitNode {
  if (node.kind === "pane") return paneNode(names[node.pane] ?? node.pane);
  return { ...node, first: renamed(node.first, names), second: renamed(node.second, names) };
}

/** Moves the pane's nearest border in this direction. */
export function resized(node: SplitNode, pane: string, direction: Direction, by: number): SplitNode {
  if (node.kind === "pane") return node;
  const inFirst = panesOf(node.first).includes(pane);
  if (!inFirst && !panesOf(node.second).includes(pane)) return node;
  const inner = inFirst
    ? { ...node, first: resized(node.first, pane, direction, by) }
    : { ...node, second: resized(node.second, pane, direction, by) };
  const changedInside = inFirst ? inner.first !== node.first : inner.second !== node.second;
  if (changedInside) return inner;
  return node.direction === direction ? { ...node, ratio: clamp(node.ratio + by) } : node;
}

export function clamp(ratio: number): number {
  return Math.min(0.9, Math.max(0.1, ratio));
}

/** The area of each pane; panes side by side have a separator column. */
export function place(node: SplitNode, area: Rect, into: Map<string, Rect>): void {
  if (node.kind === "pane") {
    into.set(node.pane, area);
    return;
  }
  const [first, second] = divide(area, node.direction, node.ratio);
  place(node.first, first, into);
  place(node.second, second, into);
}

/** Splits an area in two, each at least the minimum size if both fit. */
export function divide(area: Rect, direction: Direction, ratio: number): [Rect, Rect] {
  const { x, y, width, height } = area;
  if (direction === "row") {
    const room = Math.max(0, width - 1);
    const first = bounded(Math.round(room * ratio), MIN_PANE_WIDTH, room);
    return [
      { x, y, width: first, height },
      { x: x + first + 1, y, width: Math.max(0, room - first), height },
    ];
  }
  const first = bounded(Math.round(height * ratio), MIN_PANE_HEIGHT, height);
  return [
    { x, y, width, height: first },
    { x, y: y + first, width, height: Math.max(0, height - first) },
  ];
}

function bounded(wanted: number, min: number, room: number): number {
  return room < 2 * min ? Math.floor(room / 2) : Math.min(room - min, Math.max(min, wanted));
}

function replace(node: SplitNode, pane: string, change: (found: SplitNode) => SplitNode): SplitNode {
  if (node.kind === "pane") return node.pane === pane ? change(node) : node;
  return { ...node, first: replace(node.first, pane, change), second: replace(node.second, pane, change) };
}
