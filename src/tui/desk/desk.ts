/**
 * What is on the screen for one session: nine workspaces and the panes in them, its own terminals and any of other
 * sessions. Leaving it ends nothing. What changes is kept, so that coming back finds it as it was.
 */
import { readlinkSync } from "node:fs";
import { openShimConnection } from "../../client/open-shim-connection.ts";
import type { ShimConnection } from "../../client/shim-connection.ts";
import type { MouseEvent } from "../input/input-parser.ts";
import { encodeKey, encodeMouse, encodePaste } from "../input/key-encoding.ts";
import type { Key } from "../input/key.ts";
import { emptyLayout, readLayout, writeLayout, type Layout } from "../layout/layout-file.ts";
import { MAIN_PTY, paneId, refOf } from "../layout/pane-id.ts";
import { allPanes, focused, placed, withoutPane, withPane, type Placed, type Workspace } from "../layout/workspace.ts";
import { CopyMode } from "../panes/copy-mode.ts";
import { Pane, type PaneEnd, type PaneRef } from "../panes/pane.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage, View } from "../view.ts";
import { contentOf, drawSeparators, drawTabs, drawTitle } from "./pane-frame.ts";

/** A picture comes within milliseconds; a session that is busy is not waited for. */
const READY_WITHIN_MS = 300;

const DEFAULT_AREA: Rect = { x: 0, y: 0, width: 80, height: 23 };
const WHEEL_KEYS = 3;

export class Desk implements View {
  readonly sessionId: string;
  readonly connection: ShimConnection;
  layout: Layout;
  /** Keys move the focused pane. */
  moving = false;
  /** Its session was started again: another process under the same id. */
  stale = false;
  private readonly stage: Stage;
  private readonly panes = new Map<string, Pane>();
  private readonly titles = new Map<string, string>();
  private copying: { pane: string; mode: CopyMode } | undefined;
  private area: Rect;
  private current: Placed = { panes: new Map() };
  private isFocused = true;
  private pressed = { x: 0, y: 0 };
  private onReady: (() => void) | undefined;

  /** Shown once its visible panes have their pictures, so that nothing flashes. */
  static async open(stage: Stage, sessionId: string, area: Rect | undefined): Promise<Desk> {
    const connection = await openShimConnection(stage.services.client.files(sessionId).socket);
    const desk = new Desk(stage, sessionId, connection, area ?? DEFAULT_AREA);
    await desk.ready();
    return desk;
  }

  private constructor(stage: Stage, sessionId: string, connection: ShimConnection, area: Rect) {
    this.stage = stage;
    this.sessionId = sessionId;
    this.connection = connection;
    this.area = area;
    this.layout = this.restored(readLayout(stage.services.places.home, sessionId) ?? emptyLayout());
    this.arrange();
  }

  get workspace(): Workspace {
    return this.layout.workspaces[this.layout.active] as Workspace;
  }

  get focus(): Pane | undefined {
    return this.panes.get(this.workspace.focus ?? "");
  }

  get place(): Rect {
    return this.area;
  }

  get inCopyMode(): boolean {
    return this.copying !== undefined;
  }

  /** The program in the focused pane wants to know where the mouse is. */
  get wantsMotion(): boolean {
    return this.focus?.screen.mouse.tracking === 1003;
  }

  /** Puts another arrangement in place of the present one, and keeps it. */
  change(workspace: Workspace, active = this.layout.active): void {
    const workspaces = this.layout.workspaces.map((old, at) => (at === active ? workspace : old));
    this.layout = { active, workspaces };
    this.arrange();
    this.save();
    this.stage.redraw();
  }

  save(): void {
    writeLayout(this.stage.services.places.home, this.sessionId, this.layout);
  }

  titleOf(id: string): string {
    const ref = refOf(id);
    const meta = ref === undefined ? undefined : this.stage.board.find(ref.sessionId)?.meta;
    const pty = meta?.ptys.find((known) => known.id === ref?.ptyId);
    const own = this.titles.get(id) || (ref?.ptyId === MAIN_PTY ? meta?.title : undefined) || pty?.command.join(" ");
    const name = own === undefined || own === "" ? (ref?.ptyId ?? id) : own;
    return ref !== undefined && ref.sessionId !== this.sessionId && meta !== undefined && meta.title !== name
      ? `${meta.title}: ${name}`
      : name;
  }

  /** Where a new terminal beside this pane begins. */
  directoryOf(id: string | undefined): string {
    const ref = refOf(id ?? "");
    const meta = this.stage.board.find(ref?.sessionId ?? this.sessionId)?.meta;
    const pid =
      meta?.ptys.find((pty) => pty.id === ref?.ptyId)?.pid ??
      this.connection.ptys().find((pty) => pty.ptyId === ref?.ptyId)?.pid;
    try {
      if (pid !== undefined && pid > 0) return readlinkSync(`/proc/${pid}/cwd`);
    } catch {
      // Not Linux, or the program has ended: where it was started then.
    }
    return meta?.cwd ?? process.cwd();
  }

  /** A new terminal in this session; the user's shell unless told otherwise. */
  async create(cwd: string, command?: string[]): Promise<string> {
    const { width, height } = this.area;
    const size = { cols: Math.max(2, Math.floor(width / 2)), rows: Math.max(1, Math.floor(height / 2)) };
    const ptyId = await this.connection.create({ ...size, cwd, ...(command === undefined ? {} : { command }) });
    return paneId({ sessionId: this.sessionId, ptyId });
  }

  copyMode(): CopyMode | undefined {
    const id = this.workspace.focus;
    const pane = this.focus;
    if (id === undefined || pane === undefined) return undefined;
    if (this.copying?.pane === id) return this.copying.mode;
    this.leaveCopyMode();
    const mode = new CopyMode(this.stage, pane, () => this.leaveCopyMode());
    this.copying = { pane: id, mode };
    this.stage.redraw();
    return mode;
  }

  type(text: string): void {
    const pane = this.focus;
    if (pane !== undefined) pane.write(encodePaste(text, pane.screen.bracketedPaste));
  }

  /** Whether the user's terminal is in front. */
  attention(on: boolean): void {
    this.isFocused = on;
    this.updateFocus();
  }

  draw(grid: Grid, area: Rect): Caret | undefined {
    this.area = area;
    this.current = placed(this.workspace, area);
    const { panes, tabs } = this.current;
    const hasTitles = panes.size > 1 || tabs !== undefined;
    let caret: Caret | undefined;
    for (const [id, rect] of panes) {
      const isFocus = id === this.workspace.focus;
      const content = contentOf(rect, hasTitles);
      if (hasTitles) drawTitle(grid, rect, { text: this.titleOf(id), focused: isFocus, mark: this.markOf(id) });
      const shown = this.drawPane(grid, id, content, hasTitles);
      if (isFocus) caret = shown;
    }
    const focusRect = panes.get(this.workspace.focus ?? "");
    drawSeparators(grid, this.current, area, focusRect);
    if (tabs !== undefined) drawTabs(grid, tabs, (pane) => this.titleOf(pane));
    if (panes.size === 0)
      grid.put(
        area.x + 2,
        area.y + 1,
        "This workspace is empty. alt+n opens a terminal, alt+s chooses a session.",
        THEME.dim,
        area.width - 4,
      );
    return caret;
  }

  key(pressed: Key): void {
    if (this.copying !== undefined) return this.copying.mode.key(pressed);
    const pane = this.focus;
    if (pane === undefined) return;
    if (pane.end !== undefined) {
      if (pressed.key === "enter") this.remove(paneId(pane.ref));
      else if (pressed.key === "r") this.stage.attempt(this.revive(pane.ref));
      return;
    }
    pane.write(encodeKey(pressed, pane.screen.keyboard));
  }

  paste(text: string): void {
    if (this.copying === undefined) this.type(text);
    else this.copying.mode.paste(text);
  }

  mouse(event: MouseEvent): void {
    const { tabs } = this.current;
    if (tabs !== undefined && event.action === "press" && event.y === tabs.area.y && event.x >= tabs.area.x)
      return this.clickTab(event.x);
    const hit = [...this.current.panes].find(
      ([, { x, y, width, height }]) => event.x >= x && event.x < x + width && event.y >= y && event.y < y + height,
    );
    const id = this.copying !== undefined && event.action !== "press" ? this.copying.pane : hit?.[0];
    const rect = this.current.panes.get(id ?? "");
    if (id === undefined || rect === undefined) return;
    if (event.action === "press" && id !== this.workspace.focus) this.change(focused(this.workspace, id));
    const content = contentOf(rect, this.current.panes.size > 1 || tabs !== undefined);
    this.mouseIn(id, event, event.x - content.x, event.y - content.y);
  }

  /** Takes a pane out of the layout; its program is not touched. */
  remove(id: string): void {
    const { workspaces, active } = this.layout;
    this.layout = { active, workspaces: workspaces.map((workspace) => withoutPane(workspace, id)) };
    this.arrange();
    const isEmpty = this.layout.workspaces.every((workspace) => allPanes(workspace).length === 0);
    if (isEmpty) return this.stage.showDashboard();
    this.save();
    this.stage.redraw();
  }

  close(): void {
    this.leaveCopyMode();
    this.save();
    for (const pane of this.panes.values()) pane.close();
    this.panes.clear();
    this.connection.close();
  }

  private drawPane(grid: Grid, id: string, content: Rect, hasTitle: boolean): Caret | undefined {
    const pane = this.panes.get(id);
    if (pane === undefined || content.width <= 0 || content.height <= 0) return undefined;
    pane.resize({ cols: content.width, rows: content.height });
    if (this.copying?.pane === id) return this.copying.mode.draw(grid, content);
    const { screen } = pane;
    // Another viewer's size is in force: what does not fit is cut, what is left over is marked.
    if (screen.cols < content.width || screen.rows < content.height) grid.cover(content, THEME.faint, 0xb7);
    const cutRows = Math.max(0, Math.min(screen.rows, screen.cursor.y + 1) - content.height);
    grid.draw(screen.picture(), content, cutRows);
    if (!hasTitle && pane.end !== undefined)
      grid.put(content.x, content.y + content.height - 1, ` ${this.markOf(id)} `, THEME.chipWarn);
    const { x, y, visible } = screen.cursor;
    const inside = x < content.width && y - cutRows >= 0 && y - cutRows < content.height;
    return visible && inside && pane.end === undefined ? { x: content.x + x, y: content.y + y - cutRows } : undefined;
  }

  private markOf(id: string): string {
    const end = this.panes.get(id)?.end;
    if (end !== undefined) return `${endWords(end)} · enter closes, r starts it again`;
    if (id === this.workspace.focus && this.moving) return "MOVE h j k l";
    return id === this.workspace.focus && this.workspace.zoomed ? "zoomed" : "";
  }

  private mouseIn(id: string, event: MouseEvent, x: number, y: number): void {
    const pane = this.panes.get(id);
    if (pane === undefined) return;
    if (this.copying?.pane === id) return this.copying.mode.mouse(event, x, y);
    const inside = x >= 0 && y >= 0;
    if (pane.screen.mouse.tracking !== 0 && !event.shift) {
      if (inside) pane.write(encodeMouse(event, x, y, pane.screen.mouse));
      return;
    }
    const isWheel = event.action === "wheel-up" || event.action === "wheel-down";
    if (isWheel && pane.screen.alternate) {
      const arrow = encodeKey(
        { key: event.action === "wheel-up" ? "up" : "down", ctrl: false, alt: false, shift: false, text: "" },
        pane.screen.keyboard,
      );
      return pane.write(arrow.repeat(WHEEL_KEYS));
    }
    if (event.action === "press" && event.button === 0) this.pressed = { x, y };
    const isDrag = event.action === "move" && event.button === 0;
    // The selection begins where the button went down.
    if (isDrag) this.copyMode()?.mouse({ ...event, action: "press" }, this.pressed.x, this.pressed.y);
    if (isDrag || event.action === "wheel-up") this.copyMode()?.mouse(event, x, y);
    else if (event.action === "press" && event.button === 1) this.stage.act("paste");
  }

  private clickTab(x: number): void {
    const { tabs } = this.current;
    let from = (tabs?.area.x ?? 0) + 1;
    for (const pane of tabs?.panes ?? []) {
      const width = Math.min(18, this.titleOf(pane).length) + 5;
      if (x < from + width) return this.change(focused(this.workspace, pane));
      from += width;
    }
  }

  private leaveCopyMode(): void {
    this.copying?.mode.close();
    this.copying = undefined;
    this.stage.redraw();
  }

  /** Panes of the shown workspace are followed, others are left. */
  private arrange(): void {
    const wanted = new Set(allPanes(this.workspace));
    for (const [id, pane] of this.panes) {
      if (wanted.has(id)) continue;
      pane.close();
      this.panes.delete(id);
    }
    const { panes } = placed(this.workspace, this.area);
    for (const id of wanted) {
      if (this.panes.has(id)) continue;
      const rect = panes.get(id) ?? this.area;
      const content = contentOf(rect, wanted.size > 1);
      const ref = refOf(id);
      if (ref !== undefined) this.panes.set(id, this.newPane(id, ref, { cols: content.width, rows: content.height }));
    }
    if (this.copying !== undefined && this.copying.pane !== this.workspace.focus) this.leaveCopyMode();
    this.updateFocus();
  }

  private newPane(id: string, ref: PaneRef, size: { cols: number; rows: number }): Pane {
    const { client } = this.stage.services;
    const socketPath = client.files(ref.sessionId).socket;
    const isHere = (): boolean => id === this.workspace.focus && this.isFocused;
    return new Pane({ ...ref, socketPath, budget: this.stage.budget, watchOnly: false }, size, {
      onChange: () => {
        if (this.panes.get(id)?.ready === true) this.onReady?.();
        this.stage.redraw();
      },
      onEnd: (end) => this.ended(id, ref, end),
      onTitle: (title) => void this.titles.set(id, title),
      onBell: () => undefined,
      onNotification: (text) => isHere() || this.stage.say(`${this.titleOf(id)}: ${text}`),
      onClipboard: (base64) => this.stage.copy(Buffer.from(base64, "base64").toString("utf8")),
    });
  }

  /** A terminal that was opened beside the main one goes with its program; a session stays to be looked at. */
  private ended(id: string, ref: PaneRef, end: PaneEnd): void {
    this.onReady?.();
    if (ref.ptyId !== MAIN_PTY && end.how === "exited") this.remove(id);
  }

  private async revive({ sessionId }: PaneRef): Promise<void> {
    const known = this.stage.board.find(sessionId);
    if (known === undefined) return;
    await this.stage.services.client.spawn(await this.stage.services.revival(known));
    this.stale = true;
    await this.stage.openSession(this.sessionId);
  }

  private updateFocus(): void {
    for (const [id, pane] of this.panes) pane.focus(this.isFocused && id === this.workspace.focus);
  }

  /** Panes that are known to be gone are left out; the session's own terminals that no workspace has are put in. */
  private restored(saved: Layout): Layout {
    const own = this.connection.ptys().filter(({ ptyId, exitCode }) => ptyId === MAIN_PTY || exitCode === undefined);
    const ownIds = own.map(({ ptyId }) => paneId({ sessionId: this.sessionId, ptyId }));
    const isThere = (id: string): boolean => {
      const ref = refOf(id);
      if (ref === undefined) return false;
      return ref.sessionId === this.sessionId
        ? ownIds.includes(id)
        : this.stage.board.find(ref.sessionId)?.alive === true;
    };
    const workspaces = saved.workspaces.map((workspace) =>
      allPanes(workspace).reduce((kept, id) => (isThere(id) ? kept : withoutPane(kept, id)), workspace),
    );
    const shown = new Set(workspaces.flatMap(allPanes));
    const missing = ownIds.filter((id) => !shown.has(id));
    const filled = workspaces.map((workspace, at) => {
      if (at !== saved.active || missing.length === 0) return workspace;
      const all = missing.reduce(withPane, workspace);
      return workspace.focus === undefined ? focused(all, missing[0] as string) : { ...all, focus: workspace.focus };
    });
    return { active: saved.active, workspaces: filled };
  }

  private ready(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, READY_WITHIN_MS);
      const check = (): void => {
        if ([...this.panes.values()].every((pane) => pane.ready || pane.end !== undefined)) done();
      };
      const finish = (): void => {
        clearTimeout(timer);
        this.onReady = undefined;
        resolve();
      };
      function done(): void {
        finish();
      }
      this.onReady = check;
      check();
    });
  }
}

export function endWords(end: PaneEnd): string {
  if (end.how === "exited") return end.exitCode === 0 ? "ended" : `exited with ${end.exitCode}`;
  return end.reason === "killed" ? "killed" : end.reason === "ended" ? "ended" : "connection lost";
}
