/**
 * The workbench of a session: nine workspaces with panes of its own and other sessions' terminals. Leaving saves the
 * layout and ends nothing.
 */
import { readlinkSync } from "node:fs";
import { workingDirectory } from "../../lib/fs/paths.ts";
import type { ShimConnection } from "../../client/shim-connection.ts";
import { splitRemoteId } from "../../protocol/session-id.ts";
import { reviveSession } from "../data/session-actions.ts";
import { openTerminals } from "../data/terminals.ts";
import type { MouseEvent } from "../input/input-event.ts";
import { encodeKey, encodePaste } from "../input/key-encoding.ts";
import type { Key } from "../input/key.ts";
import { emptyLayout, readLayout, writeLayout, type Layout } from "../layout/layout-file.ts";
import { MAIN_PTY, paneId, refOf } from "../layout/pane-id.ts";
import { allPanes, focused, placed, withoutPane, type Placed, type Workspace } from "../layout/workspace.ts";
import { CopyMode } from "../panes/copy-mode.ts";
import type { Pane, PaneRef } from "../panes/pane.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage, View } from "../view.ts";
import { drawPane, endWords } from "./draw-pane.ts";
import { contentOf, drawSeparators, drawTabs, drawTitle, tabAt } from "./pane-frame.ts";
import { PaneMouse } from "./pane-mouse.ts";
import { PaneSet } from "./pane-set.ts";
import { restoredLayout } from "./restored-layout.ts";

const DEFAULT_AREA: Rect = { x: 0, y: 0, width: 80, height: 23 };

export class Workbench implements View {
  readonly sessionId: string;
  readonly connection: ShimConnection;
  layout: Layout;
  /** Keys move the focused pane. */
  moving = false;
  /** Its session was restarted: another process under the same id. */
  stale = false;
  private readonly stage: Stage;
  private readonly panes: PaneSet;
  private readonly titles = new Map<string, string>();
  private copying: { pane: string; mode: CopyMode } | undefined;
  private area: Rect;
  private current: Placed = { panes: new Map() };
  private isFocused = true;
  private isClosed = false;
  private readonly pointer: PaneMouse;

  /** Shown once its visible panes have a screen, to avoid flicker. */
  static async open(stage: Stage, sessionId: string, area: Rect | undefined): Promise<Workbench> {
    const connection = await openTerminals(stage.services, sessionId);
    const workbench = new Workbench(stage, sessionId, connection, area ?? DEFAULT_AREA);
    await workbench.panes.ready();
    return workbench;
  }

  private constructor(stage: Stage, sessionId: string, connection: ShimConnection, area: Rect) {
    this.stage = stage;
    this.sessionId = sessionId;
    this.connection = connection;
    this.area = area;
    this.panes = new PaneSet(stage, {
      onTitle: (id, title) => void this.titles.set(id, title),
      onNotification: (id, text) =>
        (id === this.workspace.focus && this.isFocused) || stage.say(`${this.titleOf(id)}: ${text}`),
      // An additional terminal closes with its program; an ended session stays visible.
      onEnd: (id, { ptyId }, end) => {
        if (ptyId !== MAIN_PTY && end.how === "exited") this.remove(id);
      },
    });
    this.pointer = new PaneMouse({ copyMode: () => this.copyMode(), paste: () => stage.act("paste") });
    this.layout = this.restored(readLayout(stage.services.places.home, sessionId) ?? emptyLayout());
    this.arrange();
  }

  get workspace(): Workspace {
    return this.layout.workspaces[this.layout.active] as Workspace;
  }

  get focus(): Pane | undefined {
    return this.panes.get(this.workspace.focus);
  }

  get place(): Rect {
    return this.area;
  }

  get inCopyMode(): boolean {
    return this.copying !== undefined;
  }

  /** Whether the program in the focused pane requests mouse moves. */
  get wantsMotion(): boolean {
    return this.focus?.screen.mouse.tracking === 1003;
  }

  /** Replaces a workspace, shows it and saves the layout. */
  change(workspace: Workspace, active = this.layout.active): void {
    this.layout = { ...this.layout, active };
    this.replace(workspace, active);
  }

  /** Replaces a workspace; the visible one stays. */
  replace(workspace: Workspace, place: number): void {
    const workspaces = this.layout.workspaces.map((old, at) => (at === place ? workspace : old));
    this.layout = { ...this.layout, workspaces };
    if (!this.isClosed) this.arrange();
    this.save();
    this.stage.redraw();
  }

  save(): void {
    writeLayout(this.stage.services.places.home, this.sessionId, this.layout);
  }

  titleOf(id: string): string {
    const ref = refOf(id);
    const { board } = this.stage;
    const pty = board.find(ref?.sessionId ?? "")?.meta.ptys.find((known) => known.id === ref?.ptyId);
    const title = board.titleOf(ref?.sessionId ?? "");
    const own = this.titles.get(id) || (ref?.ptyId === MAIN_PTY ? title : undefined) || pty?.command.join(" ");
    const name = own === undefined || own === "" ? (ref?.ptyId ?? id) : own;
    return ref !== undefined && ref.sessionId !== this.sessionId && title !== undefined && title !== name
      ? `${title}: ${name}`
      : name;
  }

  /** The directory for a new terminal beside this pane. */
  directoryOf(id: string | undefined): string {
    const ref = refOf(id ?? "");
    const meta = this.stage.board.find(ref?.sessionId ?? this.sessionId)?.meta;
    const known = this.connection.ptys().find((pty) => pty.ptyId === ref?.ptyId);
    // Processes of another machine cannot be inspected.
    if (splitRemoteId(this.sessionId) !== undefined) return known?.cwd ?? "/";
    const pid = meta?.ptys.find((pty) => pty.id === ref?.ptyId)?.pid ?? known?.pid;
    try {
      if (pid !== undefined && pid > 0) return readlinkSync(`/proc/${pid}/cwd`);
    } catch {
      // Not Linux, or the program has ended: uses its start directory.
    }
    return meta?.cwd ?? workingDirectory();
  }

  /** Opens a terminal in this session; defaults to the user's shell. */
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

  /** Whether the user's terminal has the focus. */
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
      const shown = this.drawContent(grid, id, content, hasTitles);
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
    const [x, y] = [event.x - content.x, event.y - content.y];
    const pane = this.panes.get(id);
    if (this.copying?.pane === id) this.copying.mode.mouse(event, x, y);
    else if (pane !== undefined) this.pointer.event(pane, event, x, y);
  }

  /** Removes a pane from the layout; its program keeps running. */
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
    this.isClosed = true;
    this.leaveCopyMode();
    this.save();
    this.panes.close();
    this.connection.close();
  }

  private drawContent(grid: Grid, id: string, content: Rect, hasTitle: boolean): Caret | undefined {
    const pane = this.panes.get(id);
    if (pane === undefined || content.width <= 0 || content.height <= 0) return undefined;
    pane.resize({ cols: content.width, rows: content.height });
    if (this.copying?.pane === id) return this.copying.mode.draw(grid, content);
    const caret = drawPane(grid, pane, content);
    if (!hasTitle && pane.end !== undefined)
      grid.put(content.x, content.y + content.height - 1, ` ${this.markOf(id)} `, THEME.chipWarn);
    return caret;
  }

  private markOf(id: string): string {
    const end = this.panes.get(id)?.end;
    if (end !== undefined) return `${endWords(end)} · enter close, r restart`;
    if (id === this.workspace.focus && this.moving) return "MOVE h j k l";
    return id === this.workspace.focus && this.workspace.zoomed ? "zoomed" : "";
  }

  private clickTab(x: number): void {
    const { tabs } = this.current;
    const pane = tabs === undefined ? undefined : tabAt(tabs, (id) => this.titleOf(id), x);
    if (pane !== undefined) this.change(focused(this.workspace, pane));
  }

  private leaveCopyMode(): void {
    this.copying?.mode.close();
    this.copying = undefined;
    this.stage.redraw();
  }

  private arrange(): void {
    const wanted = allPanes(this.workspace);
    const { panes } = placed(this.workspace, this.area);
    this.panes.follow(wanted, (id) => {
      const { width, height } = contentOf(panes.get(id) ?? this.area, wanted.length > 1);
      return { cols: width, rows: height };
    });
    if (this.copying !== undefined && this.copying.pane !== this.workspace.focus) this.leaveCopyMode();
    this.updateFocus();
  }

  private async revive({ sessionId }: PaneRef): Promise<void> {
    await reviveSession(this.stage.services, this.stage.board, sessionId);
    this.stale = true;
    await this.stage.openSession(this.sessionId);
  }

  private updateFocus(): void {
    this.panes.focus(this.isFocused ? this.workspace.focus : undefined);
  }

  private restored(saved: Layout): Layout {
    const own = this.connection.ptys().filter(({ ptyId, exitCode }) => ptyId === MAIN_PTY || exitCode === undefined);
    const ownIds = own.map(({ ptyId }) => paneId({ sessionId: this.sessionId, ptyId }));
    return restoredLayout(saved, ownIds, (id) => {
      const sessionId = refOf(id)?.sessionId;
      if (sessionId === this.sessionId) return ownIds.includes(id);
      return sessionId !== undefined && this.stage.board.mayRun(sessionId);
    });
  }
}
