/** The last line: current session, waiting sessions, the latest message. */
import type { Workbench } from "./workbench/workbench.ts";
import { allPanes } from "./layout/workspace.ts";
import type { Grid } from "./render/grid.ts";
import { fit, widthOf } from "./render/text-width.ts";
import { statusLook, THEME } from "./theme.ts";
import type { NoticeKind, Stage } from "./view.ts";
import { hints } from "./views/panel.ts";

export interface BarFacts {
  workbench: Workbench | undefined;
  /** The prefix was pressed. */
  armed: boolean;
  notice: { text: string; kind: NoticeKind } | undefined;
}

const LIST_HINTS = [
  ["enter", "open"],
  ["n", "new"],
  ["/", "filter"],
  ["F", "search"],
  ["a", "waiting"],
  ["$", "cost"],
  ["t", "transcript"],
  ["x", "end"],
  ["s", "sort"],
  ["alt+g", "terminals"],
] as const;

const KEPT_HINTS = [
  ["?", "help"],
  ["q", "quit"],
] as const;

const NOTICE_LOOKS = { info: "barStrong", good: "barAccent", bad: "barWarn" } as const;

export function drawStatusBar(grid: Grid, stage: Stage, { workbench, armed, notice }: BarFacts): void {
  const y = grid.height - 1;
  const { width } = grid;
  grid.cover({ x: 0, y, width, height: 1 }, THEME.bar, 0x20);
  const right = rightPart(stage, workbench);
  const room = Math.max(0, width - widthOf(right) - 2);
  // A pending prefix is always shown.
  const isNoticed = notice !== undefined && !armed && workbench?.moving !== true;
  if (isNoticed) grid.put(1, y, fit(notice.text, room), THEME[NOTICE_LOOKS[notice.kind]]);
  else if (workbench === undefined)
    hints(grid, { x: 1, y, width: room - 1, height: 1 }, LIST_HINTS, THEME.barAccent, THEME.bar, KEPT_HINTS);
  else drawDesk(grid, stage, workbench, armed, room);
  grid.put(width - widthOf(right) - 1, y, right, stage.board.attention().length > 0 ? THEME.barWarn : THEME.bar);
}

/** Over a box that covers the bar: it is often the answer to a key pressed there. */
export function drawNotice(grid: Grid, { text, kind }: NonNullable<BarFacts["notice"]>): void {
  const y = grid.height - 1;
  grid.cover({ x: 0, y, width: grid.width, height: 1 }, THEME.bar, 0x20);
  grid.put(1, y, fit(text, Math.max(0, grid.width - 2)), THEME[NOTICE_LOOKS[kind]]);
}

function drawDesk(grid: Grid, stage: Stage, workbench: Workbench, armed: boolean, room: number): void {
  const y = grid.height - 1;
  const known = stage.board.find(workbench.sessionId);
  const row = stage.board.rows().find(({ key }) => key === workbench.sessionId);
  const { icon, look } = statusLook(row?.status ?? "offline");
  let x = grid.put(1, y, icon, { fg: look.fg, bg: THEME.bar.bg });
  x = grid.put(x + 1, y, fit(known?.meta.title ?? workbench.sessionId, Math.floor(room / 2)), THEME.barStrong) + 2;
  workbench.layout.workspaces.forEach((workspace, at) => {
    if (allPanes(workspace).length === 0 && at !== workbench.layout.active) return;
    if (x + 4 > room) return;
    x = grid.put(x, y, ` ${at + 1} `, at === workbench.layout.active ? THEME.chip : THEME.bar);
  });
  const modes = [
    armed ? stage.keymap.prefix : "",
    workbench.moving ? "MOVE" : "",
    workbench.workspace.zoomed ? "zoomed" : "",
    workbench.inCopyMode ? "scrolled" : "",
  ];
  for (const mode of modes.filter((text) => text !== ""))
    if (x + widthOf(mode) + 3 < room) x = grid.put(x + 1, y, ` ${mode} `, THEME.chipWarn);
  hints(grid, { x: x + 2, y, width: room - x - 2, height: 1 }, deskHints(stage, armed), THEME.barAccent, THEME.bar);
}

/** The way back and the key for help; after the prefix, the most used keys. */
function deskHints({ keymap }: Stage, armed: boolean): [string, string][] {
  const prefix = armed ? "" : `${keymap.prefix} `;
  const named = (action: string, does: string): [string, string] => [
    `${prefix}${keymap.keyOf("prefix", action)}`,
    does,
  ];
  if (!armed) return [named("dashboard", "list"), named("help", "help")];
  return [
    named("detach", "detach"),
    named("dashboard", "list"),
    named("new-pane", "new"),
    named("split-right", "split"),
    named("close-pane", "close"),
    named("zoom", "zoom"),
    named("sessions", "sessions"),
    named("copy-mode", "scroll"),
    named("help", "help"),
  ];
}

function rightPart(stage: Stage, workbench: Workbench | undefined): string {
  const waiting = stage.board.attention().length;
  const mode = workbench === undefined ? "" : `${workbench.workspace.mode}  `;
  return `${waiting === 0 ? "" : `${waiting} waiting  `}${mode}${new Date().toTimeString().slice(0, 5)}`;
}
