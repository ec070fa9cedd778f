/** Actions on the visible panes. */
import { endSession } from "../data/session-actions.ts";
import {
  arranged,
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
  type Workspace,
} from "../layout/workspace.ts";
import { MAIN_PTY, refOf } from "../layout/pane-id.ts";
import type { Direction } from "../layout/split-tree.ts";
import type { Stage } from "../view.ts";
import { ChoiceView } from "../views/prompts.ts";
import type { Workbench } from "./workbench.ts";

/** A border moves by 5% of the screen. */
const STEP = 0.05;

export interface WorkbenchAction {
  title: string;
  run(workbench: Workbench, stage: Stage): void;
}

const SIDES: readonly Side[] = ["left", "down", "up", "right"];

export const WORKBENCH_ACTIONS: Readonly<Record<string, WorkbenchAction>> = {
  ...Object.fromEntries(
    SIDES.flatMap((side): [string, WorkbenchAction][] => [
      [`focus-${side}`, { title: `Focus the pane ${beside(side)}`, run: (workbench) => focusBeside(workbench, side) }],
      [`move-${side}`, { title: `Move the pane ${side}`, run: (workbench) => moveBeside(workbench, side) }],
      [`grow-${side}`, { title: `Move the pane's border ${side}`, run: (workbench) => grow(workbench, side) }],
    ]),
  ),
  "new-pane": { title: "Open a terminal in the stack", run: (workbench, stage) => stage.attempt(newPane(workbench)) },
  "split-right": {
    title: "Split the pane, side by side",
    run: (workbench, stage) => stage.attempt(splitPane(workbench, "row")),
  },
  "split-below": {
    title: "Split the pane, one above the other",
    run: (workbench, stage) => stage.attempt(splitPane(workbench, "column")),
  },
  "close-pane": { title: "Close the pane", run: closePane },
  zoom: { title: "Zoom the pane, or back", run: (workbench) => workbench.change(zoomed(workbench.workspace)) },
  "move-mode": {
    title: "Move the pane with h j k l",
    run: (workbench, stage) => {
      workbench.moving = true;
      stage.redraw();
    },
  },
  "layout-next": { title: "Next layout", run: (workbench) => workbench.change(cycled(workbench.workspace, 1)) },
  "layout-previous": {
    title: "Previous layout",
    run: (workbench) => workbench.change(cycled(workbench.workspace, -1)),
  },
  ...Object.fromEntries(
    LAYOUT_MODES.map((mode): [string, WorkbenchAction] => [
      `layout-${mode}`,
      { title: `Layout: ${mode}`, run: (workbench) => setMode(workbench, mode) },
    ]),
  ),
  ...Object.fromEntries(
    Array.from({ length: 9 }, (_, at): [string, WorkbenchAction] => [
      `workspace-${at + 1}`,
      { title: `Workspace ${at + 1}`, run: (workbench) => goTo(workbench, at) },
    ]),
  ),
  search: { title: "Search in the scrollback", run: (workbench) => workbench.copyMode()?.search() },
  "copy-mode": { title: "Scroll back and copy", run: (workbench) => void workbench.copyMode() },
};

function beside(side: Side): string {
  return { left: "at the left", right: "at the right", up: "above", down: "below" }[side];
}

function focusBeside(workbench: Workbench, side: Side): void {
  const { workspace, place } = workbench;
  const next = neighbour(workspace, place, workspace.focus ?? "", side);
  if (next !== undefined) workbench.change(focused(workspace, next));
}

function moveBeside(workbench: Workbench, side: Side): void {
  const { workspace, place } = workbench;
  const next = neighbour(workspace, place, workspace.focus ?? "", side);
  if (next !== undefined && workspace.focus !== undefined) workbench.change(swapped(workspace, workspace.focus, next));
}

function grow(workbench: Workbench, side: Side): void {
  const direction: Direction = side === "left" || side === "right" ? "row" : "column";
  workbench.change(grown(workbench.workspace, direction, side === "left" || side === "up" ? -STEP : STEP));
}

function setMode(workbench: Workbench, mode: LayoutMode): void {
  workbench.change(arranged(workbench.workspace, mode));
}

function goTo(workbench: Workbench, at: number): void {
  const workspace = workbench.layout.workspaces[at];
  if (workspace !== undefined && at !== workbench.layout.active) workbench.change(workspace, at);
}

function newPane(workbench: Workbench): Promise<void> {
  return withTerminal(workbench, withPane);
}

function splitPane(workbench: Workbench, direction: Direction): Promise<void> {
  return withTerminal(workbench, (workspace, id) => withSplit(workspace, id, direction));
}

/** In the workspace from which it was asked for: another one may be shown when the terminal is there. */
async function withTerminal(
  workbench: Workbench,
  placed: (workspace: Workspace, id: string) => Workspace,
): Promise<void> {
  const at = workbench.layout.active;
  const id = await workbench.create(workbench.directoryOf(workbench.workspace.focus));
  workbench.replace(placed(workbench.layout.workspaces[at]!, id), at);
}

/** A terminal opened here ends with its pane; a pane of another session can also just be closed. */
function closePane(workbench: Workbench, stage: Stage): void {
  const id = workbench.workspace.focus;
  const ref = refOf(id ?? "");
  if (id === undefined || ref === undefined) return;
  const pane = workbench.focus;
  if (pane?.end !== undefined) return workbench.remove(id);
  const isOwn = ref.sessionId === workbench.sessionId;
  if (isOwn && ref.ptyId !== MAIN_PTY) {
    workbench.connection.send({ _tag: "destroy", ptyId: ref.ptyId });
    return workbench.remove(id);
  }
  const isLast = workbench.layout.workspaces.flatMap(allPanes).length === 1;
  stage.push(
    new ChoiceView(stage, `End "${workbench.titleOf(id)}", or only close its pane?`, [
      {
        key: "e",
        does: "end it",
        run: () => stage.attempt(endSession(stage.services, ref.sessionId).then(() => workbench.remove(id))),
      },
      { key: "o", does: "close the pane", run: () => (isLast ? stage.showDashboard() : workbench.remove(id)) },
    ]),
  );
}
