import { expect, test } from "vitest";
import { layoutFrom } from "./layout-file.ts";
import {
  allPanes,
  cycled,
  EMPTY_WORKSPACE,
  focused,
  grown,
  neighbour,
  placed,
  swapped,
  withoutPane,
  withPane,
  withSplit,
  zoomed,
  type Workspace,
} from "./workspace.ts";

const AREA = { x: 0, y: 0, width: 101, height: 40 };

function panes(...names: string[]): Workspace {
  return names.reduce(withPane, EMPTY_WORKSPACE);
}

test("the first pane is main, others stack beside it, one above the other", () => {
  expect(Object.fromEntries(placed(panes("a", "b", "c"), AREA).panes)).toEqual({
    a: { x: 0, y: 0, width: 50, height: 40 },
    b: { x: 51, y: 0, width: 50, height: 20 },
    c: { x: 51, y: 20, width: 50, height: 20 },
  });
});

test("horizontal lays the stack side by side below, stacked shows one of it with tabs", () => {
  const horizontal = cycled(panes("a", "b", "c"), 1);
  expect(horizontal.mode).toBe("horizontal");
  const { panes: below } = placed(horizontal, AREA);
  expect(below.get("a")).toEqual({ x: 0, y: 0, width: 101, height: 20 });
  expect(below.get("c")).toEqual({ x: 51, y: 20, width: 50, height: 20 });
  const stacked = cycled(horizontal, 1);
  const { panes: shown, tabs } = placed(stacked, AREA);
  expect([...shown.keys()]).toEqual(["a", "c"]);
  expect(tabs).toMatchObject({ panes: ["b", "c"], active: 1 });
  expect(neighbour(stacked, AREA, "c", "up")).toBe("b");
});

test("a layout key rearranges panes that were split by hand", () => {
  const byHand = withSplit(withSplit(panes("a"), "b", "row"), "c", "row");
  const { panes: shown } = placed(cycled(byHand, 1), AREA);
  expect(shown.get("a")).toEqual({ x: 0, y: 0, width: 101, height: 20 });
  expect(shown.get("c")).toEqual({ x: 51, y: 20, width: 50, height: 20 });
});

test("no two panes overlap, and none leaves its area, in any layout and any size", () => {
  let workspace = panes("a", "b", "c");
  workspace = withSplit(focused(workspace, "a"), "d", "row");
  workspace = withSplit(focused(workspace, "b"), "e", "column");
  workspace = withSplit(workspace, "f", "row");
  for (const mode of ["vertical", "horizontal", "stacked"] as const) {
    for (const [width, height] of [
      [40, 10],
      [80, 24],
      [500, 150],
      [20, 5],
    ] as const) {
      const rects = [...placed({ ...workspace, mode }, { x: 0, y: 0, width, height }).panes.values()];
      rects.forEach((rect, at) => {
        expect(rect.x + rect.width).toBeLessThanOrEqual(width);
        expect(rect.y + rect.height).toBeLessThanOrEqual(height);
        const overlapping = rects.slice(at + 1).filter((other) => {
          const across = Math.min(rect.x + rect.width, other.x + other.width) - Math.max(rect.x, other.x);
          const down = Math.min(rect.y + rect.height, other.y + other.height) - Math.max(rect.y, other.y);
          return across > 0 && down > 0;
        });
        expect(overlapping).toEqual([]);
      });
    }
  }
});

test("closing the main pane gives its place to the stack; closing all leaves nothing", () => {
  const left = withoutPane(panes("a", "b", "c"), "a");
  expect(left.main).toEqual({ kind: "pane", pane: "b" });
  expect(allPanes(left)).toEqual(["b", "c"]);
  const none = withoutPane(withoutPane(left, "b"), "c");
  expect(allPanes(none)).toEqual([]);
  expect(none.focus).toBeUndefined();
});

test("focus, moving, zooming and borders work", () => {
  const workspace = panes("a", "b", "c");
  expect(neighbour(workspace, AREA, "c", "left")).toBe("a");
  expect(neighbour(workspace, AREA, "c", "up")).toBe("b");
  expect(neighbour(workspace, AREA, "a", "left")).toBeUndefined();
  expect(placed(swapped(workspace, "a", "c"), AREA).panes.get("c")).toEqual({ x: 0, y: 0, width: 50, height: 40 });
  expect([...placed(zoomed(workspace), AREA).panes]).toEqual([["c", AREA]]);
  expect(grown(workspace, "row", 0.1).ratio).toBeCloseTo(0.6);
  const split = withSplit(focused(workspace, "a"), "d", "column");
  expect(grown(split, "column", 0.1).main).toMatchObject({ ratio: 0.6 });
});

test("a layout from a file is checked piece by piece", () => {
  const pane = (name: string): object => ({ kind: "pane", pane: name });
  const read = layoutFrom({
    active: 12,
    workspaces: [
      {
        mode: "spiral",
        ratio: 7,
        main: {
          kind: "split",
          direction: "up",
          ratio: "x",
          first: pane("../etc"),
          second: pane("sess-abcd1234/pty-1"),
        },
        stack: ["no", pane("sess-abcd1234/pty-2")],
        focus: "gone",
      },
      "nonsense",
    ],
  });
  expect(read?.active).toBe(0);
  expect(read?.workspaces).toHaveLength(9);
  expect(read?.workspaces[0]).toEqual({
    mode: "vertical",
    ratio: 0.9,
    main: pane("sess-abcd1234/pty-1"),
    stack: [pane("sess-abcd1234/pty-2")],
    focus: "sess-abcd1234/pty-1",
    zoomed: false,
  });
  expect(layoutFrom([])).toBeUndefined();
});
