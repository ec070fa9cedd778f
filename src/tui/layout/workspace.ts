/**
 * A workspace: a main place and a stack, each of which may be split. Immutable data, independent of what panes show.
 */
import type { Rect } from "../render/grid.ts";
import {
  clamp,
  divide,
  paneNode,
  panesOf,
  place,
  renamed,
  resized,
  split,
  without,
  type Direction,
  type SplitNode,
} from "./split-tree.ts";

/**
 * `vertical`: main left, stack right, in rows. `horizontal`: main above, stack below, in columns. `stacked`: main left,
 * and one place of the stack at a time, as tabs.
 */
export const LAYOUT_MODES = ["vertical", "horizontal", "stacked"] as const;
export type LayoutMode = (typeof LAYOUT_MODES)[number];

export interface Workspace {
  mode: LayoutMode;
  /** The share of the main place. */
  ratio: number;
  main?: SplitNode;
  stack: SplitNode[];
  focus?: string;
  zoomed: boolean;
}

export interface Placed {
  /** The visible panes. */
  panes: Map<string, Rect>;
  /** In stacked mode: one tab per place of the stack; the visible one is marked. */
  tabs?: { area: Rect; panes: string[]; active: number };
}

export const EMPTY_WORKSPACE: Workspace = { mode: "vertical", ratio: 0.5, stack: [], zoomed: false };

export function allPanes({ main, stack }: Workspace): string[] {
  return [...panesOf(main), ...stack.flatMap(panesOf)];
}

/** The first pane goes to the main place, later ones to the stack. */
export function withPane(workspace: Workspace, pane: string): Workspace {
  if (workspace.main === undefined) return { ...workspace, main: paneNode(pane), focus: pane };
  return { ...workspace, stack: [...workspace.stack, paneNode(pane)], focus: pane, zoomed: false };
}

export function withSplit(workspace: Workspace, added: string, direction: Direction): Workspace {
  const { focus, main } = workspace;
  if (focus === undefined || main === undefined) return withPane(workspace, added);
  return {
    ...workspace,
    main: split(main, focus, added, direction),
    stack: workspace.stack.map((node) => split(node, focus, added, direction)),
    focus: added,
    zoomed: false,
  };
}

/** If the main place is empty, the first place of the stack replaces it. */
export function withoutPane(workspace: Workspace, pane: string): Workspace {
  const before = allPanes(workspace);
  const main = workspace.main === undefined ? undefined : without(workspace.main, pane);
  const stack = workspace.stack.flatMap((node) => without(node, pane) ?? []);
  const promoted = main ?? stack[0];
  const { main: _, focus: __, ...rest } = workspace;
  const next: Workspace = {
    ...rest,
    ...(promoted === undefined ? {} : { main: promoted }),
    stack: main === undefined ? stack.slice(1) : stack,
  };
  const left = allPanes(next);
  if (left.length === 0) return { ...next, zoomed: false };
  const isFocusGone = workspace.focus === undefined || workspace.focus === pane;
  const neighbour = before[Math.max(0, before.indexOf(pane) - 1)];
  const focus = !isFocusGone ? workspace.focus : left.includes(neighbour ?? "") ? neighbour : left[0];
  return { ...next, focus: focus as string, zoomed: workspace.zoomed && !isFocusGone };
}

export function focused(workspace: Workspace, pane: string): Workspace {
  return workspace.focus === pane ? workspace : { ...workspace, focus: pane, zoomed: false };
}

export function zoomed(workspace: Workspace): Workspace {
  return workspace.focus === undefined ? workspace : { ...workspace, zoomed: !workspace.zoomed };
}

export function cycled(workspace: Workspace, by: 1 | -1): Workspace {
  const at = LAYOUT_MODES.indexOf(workspace.mode);
  const mode = LAYOUT_MODES[(at + by + LAYOUT_MODES.length) % LAYOUT_MODES.length] as LayoutMode;
  return arranged(workspace, mode);
}

/** Every pane gets a place of its own, also those that were split by hand. */
export function arranged(workspace: Workspace, mode: LayoutMode): Workspace {
  const [main, ...stack] = allPanes(workspace).map(paneNode);
  return { ...workspace, ...(main === undefined ? {} : { main }), stack, mode, zoomed: false };
}

export function swapped(workspace: Workspace, a: string, b: string): Workspace {
  const names = { [a]: b, [b]: a };
  return {
    ...workspace,
    ...(workspace.main === undefined ? {} : { main: renamed(workspace.main, names) }),
    stack: workspace.stack.map((node) => renamed(node, names)),
  };
}

/** Moves a border of the focused pane: the nearest split, else the border between main place and stack. */
export function grown(workspace: Workspace, direction: Direction, by: number): Workspace {
  const { focus, main, mode, stack } = workspace;
  if (focus === undefined || main === undefined) return workspace;
  const next = {
    ...workspace,
    main: resized(main, focus, direction, by),
    stack: stack.map((node) => resized(node, focus, direction, by)),
  };
  if (JSON.stringify(next) !== JSON.stringify(workspace)) return next;
  const border: Direction = mode === "horizontal" ? "column" : "row";
  return border === direction && stack.length > 0 ? { ...workspace, ratio: clamp(workspace.ratio + by) } : workspace;
}

export function placed(workspace: Workspace, area: Rect): Placed {
  const panes = new Map<string, Rect>();
  const { main, stack, mode, ratio, focus } = workspace;
  if (main === undefined) return { panes };
  if (workspace.zoomed && focus !== undefined) {
    panes.set(focus, area);
    return { panes };
  }
  if (stack.length === 0) {
    place(main, area, panes);
    return { panes };
  }
  const [mainArea, stackArea] = divide(area, mode === "horizontal" ? "column" : "row", ratio);
  place(main, mainArea, panes);
  if (mode === "stacked") {
    const shown = Math.max(
      0,
      stack.findIndex((node) => focus !== undefined && panesOf(node).includes(focus)),
    );
    const tabs = {
      area: { ...stackArea, height: 1 },
      panes: stack.map((node) => panesOf(node)[0] ?? ""),
      active: shown,
    };
    place(
      stack[shown] as SplitNode,
      { ...stackArea, y: stackArea.y + 1, height: Math.max(0, stackArea.height - 1) },
      panes,
    );
    return { panes, tabs };
  }
  let rest = stackArea;
  stack.forEach((node, at) => {
    const left = stack.length - at;
    const [own, others] = left === 1 ? [rest, rest] : evenly(rest, mode === "horizontal" ? "row" : "column", left);
    place(node, own, panes);
    rest = others;
  });
  return { panes };
}

/** The first of `parts` equal parts, and the rest. */
function evenly(area: Rect, direction: Direction, parts: number): [Rect, Rect] {
  if (direction === "column") {
    const height = Math.floor(area.height / parts);
    return [
      { ...area, height },
      { ...area, y: area.y + height, height: area.height - height },
    ];
  }
  const width = Math.floor((area.width - (parts - 1)) / parts);
  return [
    { ...area, width },
    { ...area, x: area.x + width + 1, width: Math.max(0, area.width - width - 1) },
  ];
}

export type Side = "left" | "right" | "up" | "down";

/**
 * The nearest pane on that side; of several, the one with the largest overlap. In stacked mode up and down also switch
 * tabs.
 */
export function neighbour(workspace: Workspace, area: Rect, pane: string, side: Side): string | undefined {
  const { panes, tabs } = placed({ ...workspace, zoomed: false }, area);
  const from = panes.get(pane);
  if (from === undefined) return undefined;
  let best: { pane: string; distance: number; overlap: number } | undefined;
  for (const [other, rect] of panes) {
    if (other === pane) continue;
    const { distance, overlap } = relation(from, rect, side);
    if (distance < 0 || overlap <= 0) continue;
    if (best === undefined || distance < best.distance || (distance === best.distance && overlap > best.overlap))
      best = { pane: other, distance, overlap };
  }
  if (best !== undefined || tabs === undefined || (side !== "up" && side !== "down")) return best?.pane;
  if (!tabs.panes.includes(pane) && !workspace.stack.some((node) => panesOf(node).includes(pane))) return undefined;
  return tabs.panes[tabs.active + (side === "down" ? 1 : -1)];
}

function relation(from: Rect, to: Rect, side: Side): { distance: number; overlap: number } {
  const horizontal = side === "left" || side === "right";
  const overlap = horizontal
    ? Math.min(from.y + from.height, to.y + to.height) - Math.max(from.y, to.y)
    : Math.min(from.x + from.width, to.x + to.width) - Math.max(from.x, to.x);
  const distances: Record<Side, number> = {
    left: from.x - (to.x + to.width),
    right: to.x - (from.x + from.width),
    up: from.y - (to.y + to.height),
    down: to.y - (from.y + from.height),
  };
  return { distance: distances[side], overlap };
}
