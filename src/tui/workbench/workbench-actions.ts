/** What keys and the palette can do to the panes on the screen. */
import { endSession } from "../data/session-actions.ts";
import {
  allPanes,
  cycled,
  focused,
  grown,
  LAYOUT_MODES,
  neighbour,
  swapped,
  withPane,
  withSplit,
  zoomed,
  type LayoutMode,
  type Side,
} from "../layout/workspace.ts";
import { MAIN_PTY, refOf } from "../layout/pane-id.ts";
import type { Direction } from "../layout/split-tree.ts";
import type { Stage } from "../view.ts";
import { ChoiceView } from "../views/prompts.ts";
import type { Desk } from "./workbench.ts";

/** A border moves by a twentieth of the screen. */
const STEP = 0.05;

export interface DeskAction {
  title: string;
  run(desk: Desk, stage: Stage): void;
}

const SIDES: readonly Side[] = ["left", "down", "up", "right"];

export const DESK_ACTIONS: Readonly<Record<string, DeskAction>> = {
  ...Object.fromEntries(
    SIDES.flatMap((side): [string, DeskAction][] => [
      [`focus-${side}`, { title: `Focus the pane ${beside(side)}`, run: (desk) => focusBeside(desk, side) }],
      [`move-${side}`, { title: `Move the pane ${side}`, run: (desk) => moveBeside(desk, side) }],
      [`grow-${side}`, { title: `Move the pane's border ${side}`, run: (desk) => grow(desk, side) }],
    ]),
  ),
  "new-pane": { title: "Open a terminal in the stack", run: (desk, stage) => stage.attempt(newPane(desk)) },
  "split-right": { title: "Split the pane, side by side", run: (desk, stage) => stage.attempt(splitPane(desk, "row")) },
  "split-below": {
    title: "Split the pane, one above the other",
    run: (desk, stage) => stage.attempt(splitPane(desk, "column")),
  },
  "close-pane": { title: "Close the pane", run: closePane },
  zoom: { title: "Zoom the pane, or back", run: (desk) => desk.change(zoomed(desk.workspace)) },
  "move-mode": {
    title: "Move the pane with h j k l",
    run: (desk, stage) => {
      desk.moving = true;
      stage.redraw();
    },
  },
  "layout-next": { title: "Next layout", run: (desk) => desk.change(cycled(desk.workspace, 1)) },
  "layout-previous": { title: "Previous layout", run: (desk) => desk.change(cycled(desk.workspace, -1)) },
  ...Object.fromEntries(
    LAYOUT_MODES.map((mode): [string, DeskAction] => [
      `layout-${mode}`,
      { title: `Layout: ${mode}`, run: (desk) => setMode(desk, mode) },
    ]),
  ),
  ...Object.fromEntries(
    Array.from({ length: 9 }, (_, at): [string, DeskAction] => [
      `workspace-${at + 1}`,
      { title: `Workspace ${at + 1}`, run: (desk) => goTo(desk, at) },
    ]),
  ),
  search: { title: "Search in the scrollback", run: (desk) => desk.copyMode()?.search() },
  "copy-mode": { title: "Scroll back and copy", run: (desk) => void desk.copyMode() },
};

function beside(side: Side): string {
  return { left: "at the left", right: "at the right", up: "above", down: "below" }[side];
}

function focusBeside(desk: Desk, side: Side): void {
  const { workspace, place } = desk;
  const next = neighbour(workspace, place, workspace.focus ?? "", side);
  if (next !== undefined) desk.change(focused(workspace, next));
}

function moveBeside(desk: Desk, side: Side): void {
  const { workspace, place } = desk;
  const next = neighbour(workspace, place, workspace.focus ?? "", side);
  if (next !== undefined && workspace.focus !== undefined) desk.change(swapped(workspace, workspace.focus, next));
}

function grow(desk: Desk, side: Side): void {
  const direction: Direction = side === "left" || side === "right" ? "row" : "column";
  desk.change(grown(desk.workspace, direction, side === "left" || side === "up" ? -STEP : STEP));
}

function setMode(desk: Desk, mode: LayoutMode): void {
  desk.change({ ...desk.workspace, mode, zoomed: false });
}

function goTo(desk: Desk, at: number): void {
  const workspace = desk.layout.workspaces[at];
  if (workspace !== undefined && at !== desk.layout.active) desk.change(workspace, at);
}

async function newPane(desk: Desk): Promise<void> {
  const id = await desk.create(desk.directoryOf(desk.workspace.focus));
  desk.change(withPane(desk.workspace, id));
}

async function splitPane(desk: Desk, direction: Direction): Promise<void> {
  const id = await desk.create(desk.directoryOf(desk.workspace.focus));
  desk.change(withSplit(desk.workspace, id, direction));
}

/** A terminal opened here ends with its pane; what is a session of its own can also just leave the screen. */
function closePane(desk: Desk, stage: Stage): void {
  const id = desk.workspace.focus;
  const ref = refOf(id ?? "");
  if (id === undefined || ref === undefined) return;
  const pane = desk.focus;
  if (pane?.end !== undefined) return desk.remove(id);
  const isOwn = ref.sessionId === desk.sessionId;
  if (isOwn && ref.ptyId !== MAIN_PTY) {
    desk.connection.send({ _tag: "destroy", ptyId: ref.ptyId });
    return desk.remove(id);
  }
  const isLast = desk.layout.workspaces.flatMap(allPanes).length === 1;
  stage.push(
    new ChoiceView(stage, `End "${desk.titleOf(id)}", or only take it off the screen?`, [
      {
        key: "e",
        does: "end it",
        run: () => stage.attempt(endSession(stage.services, ref.sessionId).then(() => desk.remove(id))),
      },
      { key: "o", does: "off the screen", run: () => (isLast ? stage.showDashboard() : desk.remove(id)) },
    ]),
  );
}
