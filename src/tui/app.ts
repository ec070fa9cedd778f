/** The interface: the current view, key dispatch and painting. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { errorText } from "../lib/text/error-text.ts";
import { ACTIONS, PANE_ACTIONS, titles } from "./actions.ts";
import { Dashboard } from "./dashboard/dashboard.ts";
import { Looking } from "./data/looking.ts";
import { SessionBoard } from "./data/session-board.ts";
import { Workbench } from "./workbench/workbench.ts";
import { HostTerminal } from "./host-terminal.ts";
import type { InputEvent } from "./input/input-event.ts";
import { encodeKey } from "./input/key-encoding.ts";
import { nameOf, type Key } from "./input/key.ts";
import type { KeyMode } from "./default-keys.ts";
import type { Keymap } from "./keymap.ts";
import { paneId } from "./layout/pane-id.ts";
import { allPanes, focused, withPane } from "./layout/workspace.ts";
import { Opening } from "./opening.ts";
import { ParseBudget } from "./panes/parse-budget.ts";
import { colorDepth, reducer } from "./render/color-depth.ts";
import { FrameDiff } from "./render/frame-diff.ts";
import { FramePacer } from "./render/frame-pacer.ts";
import { Grid, type Rect } from "./render/grid.ts";
import type { TuiServices } from "./services.ts";
import { drawNotice, drawStatusBar } from "./status-bar.ts";
import { isMark, THEME } from "./theme.ts";
import type { Caret, NoticeKind, Stage, View } from "./view.ts";
import { helpView } from "./views/help.ts";

const NOTICE_MS = 4000;
/** In smaller terminals nothing is readable. */
const MIN_COLS = 20;
const MIN_ROWS = 5;
const MAX_SAID = 500;
/** Updates the clock and the ages in lists. */
const TICK_MS = 15_000;
/** Limit of OSC 52 in most terminals; more is cut, or hangs them. */
const MAX_CLIPBOARD_BYTES = 74_994;

export class App implements Stage {
  readonly services: TuiServices;
  readonly keymap: Keymap;
  readonly board: SessionBoard;
  readonly budget = new ParseBudget();
  readonly said: { at: Date; text: string }[] = [];
  private readonly host: HostTerminal;
  private readonly diff: FrameDiff;
  private readonly pacer: FramePacer;
  private readonly dashboard: Dashboard;
  private readonly finish: (exitCode: number) => void;
  private readonly overlays: View[] = [];
  private workbench: Workbench | undefined;
  private shown: Grid | undefined;
  private spare: Grid | undefined;
  private caret: Caret | undefined;
  private notice: { text: string; kind: NoticeKind } | undefined;
  private noticeTimer: NodeJS.Timeout | undefined;
  /** The prefix was pressed. It waits for its key, as in tmux: a late key must not reach the program. */
  private armed = false;
  private readonly ticker: NodeJS.Timeout;
  private readonly looking: Looking;
  private clipboard = "";
  private readonly opening = new Opening((text) => this.say(text));
  private over = false;

  constructor(services: TuiServices, keymap: Keymap, finish: (exitCode: number) => void) {
    this.services = services;
    this.keymap = keymap;
    this.finish = finish;
    const depth = colorDepth(services.env.vars);
    this.diff = new FrameDiff(reducer(depth), depth === "none" ? isMark : undefined);
    this.pacer = new FramePacer(() => this.paint());
    this.board = new SessionBoard(
      services,
      () => this.redraw(),
      (text) => this.say(text, "bad"),
    );
    this.dashboard = new Dashboard(this);
    this.host = new HostTerminal({
      onInput: (event) => this.input(event),
      onResize: () => this.redraw(),
      onDrain: () => this.pacer.resume(),
      onSignal: (signal) => this.end(signal === "SIGHUP" ? 0 : 143),
    });
    this.ticker = setInterval(() => this.redraw(), TICK_MS);
    this.looking = new Looking(
      () => this.board.attention().length > 0,
      // Without a daemon nobody is notified anyway.
      () => void services.daemon.ask({ method: "POST", path: "/v1/attention/seen" }).catch(() => undefined),
    );
  }

  start(): void {
    this.host.enter();
    this.paint();
    this.board.start();
  }

  get openSessionId(): string | undefined {
    return this.workbench?.sessionId;
  }

  redraw(atOnce = false): void {
    this.pacer.request(atOnce);
  }

  push(view: View): void {
    this.overlays.push(view);
    this.redraw();
  }

  pop(view: View): void {
    const at = this.overlays.indexOf(view);
    if (at === -1) return;
    this.overlays.splice(at, 1);
    view.close?.();
    this.redraw();
  }

  say(text: string, kind: NoticeKind = "info"): void {
    this.said.push({ at: new Date(), text });
    if (this.said.length > MAX_SAID) this.said.shift();
    this.notice = { text, kind };
    clearTimeout(this.noticeTimer);
    this.noticeTimer = setTimeout(() => {
      this.notice = undefined;
      this.redraw();
    }, NOTICE_MS);
    this.redraw();
  }

  attempt(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.say(errorText(error), "bad"));
  }

  async openSession(sessionId: string, ptyId?: string): Promise<void> {
    if (sessionId === this.workbench?.sessionId && !this.workbench.stale) this.opening.stop();
    else {
      const name = this.board.titleOf(sessionId) ?? sessionId;
      const workbench = await this.opening.open(name, () => Workbench.open(this, sessionId, this.mainArea()));
      if (workbench === undefined) return;
      this.leaveDesk();
      this.dashboard.close();
      this.workbench = workbench;
    }
    if (ptyId !== undefined) this.goTo(paneId({ sessionId, ptyId }));
    this.redraw();
    for (const event of this.opening.finish()) this.input(event);
  }

  addPane(sessionId: string, ptyId: string): void {
    const id = paneId({ sessionId, ptyId });
    const { workbench } = this;
    if (workbench === undefined) return this.attempt(this.openSession(sessionId, ptyId));
    if (workbench.layout.workspaces.some((workspace) => allPanes(workspace).includes(id))) return this.goTo(id);
    workbench.change(withPane(workbench.workspace, id));
  }

  showDashboard(directory?: string): void {
    this.opening.stop();
    if (directory !== undefined) this.dashboard.only(directory);
    this.leaveDesk();
    this.board.refresh();
    this.redraw();
  }

  async handOver(program: string, args: readonly string[]): Promise<boolean> {
    this.host.leave();
    try {
      const child = spawn(program, [...args], { stdio: "inherit" });
      const [code] = (await once(child, "exit")) as [number | null];
      if (code !== 0) this.say(`${program} ended with ${code ?? "a signal"}.`, "bad");
      return code === 0;
    } finally {
      this.shown = undefined;
      this.caret = undefined;
      this.host.enter();
      this.redraw();
    }
  }

  help(modes: readonly KeyMode[]): void {
    this.push(helpView(this, titles(), modes));
  }

  copy(text: string): void {
    this.clipboard = text;
    const data = Buffer.from(text);
    if (data.length > MAX_CLIPBOARD_BYTES)
      return this.say(`Copied ${data.length} bytes; too many for the terminal's clipboard.`);
    this.host.write(`\x1b]52;c;${data.toString("base64")}\x07`);
    this.say(
      `Copied ${text.split("\n").length === 1 ? `${[...text].length} characters` : `${text.split("\n").length} lines`}.`,
      "good",
    );
  }

  act(action: string): void {
    const { workbench } = this;
    const onPanes = PANE_ACTIONS[action];
    if (action === "paste") workbench?.type(this.clipboard);
    else if (action === "redraw") this.shown = undefined;
    else if (onPanes !== undefined) {
      if (workbench === undefined) this.say("No session is open.");
      else onPanes.run(this, workbench);
    } else if (ACTIONS[action] !== undefined) ACTIONS[action].run(this);
    else if (action !== "cancel") this.say(`There is no action "${action}".`, "bad");
    this.redraw();
  }

  quit(): void {
    this.end(0);
  }

  private end(exitCode: number): void {
    if (this.over) return;
    this.over = true;
    this.opening.stop();
    this.pacer.stop();
    this.board.stop();
    clearInterval(this.ticker);
    this.looking.close();
    clearTimeout(this.noticeTimer);
    for (const view of this.overlays.splice(0)) view.close?.();
    this.workbench?.close();
    this.dashboard.close();
    this.services.client.close();
    this.host.leave();
    this.finish(exitCode);
  }

  /** For uncaught errors: restores the terminal before the message is printed. */
  restoreTerminal(): void {
    this.host.leave();
  }

  private leaveDesk(): void {
    this.workbench?.close();
    this.workbench = undefined;
  }

  private goTo(id: string): void {
    const { workbench } = this;
    if (workbench === undefined) return;
    const at = workbench.layout.workspaces.findIndex((workspace) => allPanes(workspace).includes(id));
    const workspace = workbench.layout.workspaces[at];
    if (workspace !== undefined) workbench.change(focused(workspace, id), at);
  }

  private input(event: InputEvent): void {
    if (event.type !== "focus" && event.type !== "answer") this.looking.input();
    if (this.overlays.length === 0 && this.opening.keeps(event)) return;
    const top = this.overlays.at(-1) ?? this.workbench ?? this.dashboard;
    switch (event.type) {
      case "key":
        return this.key(event.key);
      case "mouse":
        if (event.y < this.host.size.rows) top.mouse?.(event);
        return;
      case "paste":
        return top.paste?.(event.text);
      case "focus":
        return this.workbench?.attention(event.gained);
      case "answer":
        return undefined;
    }
  }

  private key(pressed: Key): void {
    const overlay = this.overlays.at(-1);
    if (overlay !== undefined) return overlay.key(pressed);
    const name = nameOf(pressed);
    if (this.armed) return this.prefixed(pressed, name);
    if (this.workbench?.moving === true) return this.moveKey(name);
    if (name === this.keymap.prefix) return this.arm(true);
    const direct = this.keymap.action("direct", name);
    if (direct !== undefined) return this.act(direct);
    (this.workbench ?? this.dashboard).key(pressed);
  }

  private arm(armed: boolean): void {
    this.armed = armed;
    this.redraw();
  }

  private prefixed(pressed: Key, name: string): void {
    this.arm(false);
    const pane = this.workbench?.focus;
    // The prefix pressed twice sends it to the program once.
    if (name === this.keymap.prefix) return pane?.write(encodeKey(pressed, pane.screen.keyboard));
    const action = this.keymap.action("prefix", name);
    if (action !== undefined) this.act(action);
  }

  private moveKey(name: string): void {
    const action = this.keymap.action("move", name);
    const { workbench } = this;
    if (workbench === undefined) return;
    if (action === undefined || action === "cancel") workbench.moving = false;
    else this.act(action);
    this.redraw();
  }

  private mainArea(): Rect {
    const { cols, rows } = this.host.size;
    return { x: 0, y: 0, width: cols, height: rows - 1 };
  }

  /** False if the terminal is still busy with earlier output. */
  private paint(): boolean {
    if (this.over) return true;
    const { cols, rows } = this.host.size;
    const grid = this.spare?.width === cols && this.spare.height === rows ? this.spare : new Grid(cols, rows);
    grid.clear();
    const isTooSmall = cols < MIN_COLS || rows < MIN_ROWS;
    let caret = isTooSmall ? undefined : (this.workbench ?? this.dashboard).draw(grid, this.mainArea());
    if (isTooSmall) grid.put(0, 0, "too small", THEME.warn, cols);
    else drawStatusBar(grid, this, { workbench: this.workbench, armed: this.armed, notice: this.notice });
    const whole = { x: 0, y: 0, width: cols, height: rows };
    for (const view of isTooSmall ? [] : this.overlays) caret = view.draw(grid, whole);
    if (!isTooSmall && this.overlays.length > 0 && this.notice !== undefined) drawNotice(grid, this.notice);
    this.host.trackMotion(this.overlays.length === 0 && this.workbench?.wantsMotion === true);
    const changes = this.diff.update(this.shown, grid);
    this.spare = this.shown;
    this.shown = grid;
    return this.send(changes, caret);
  }

  private send(changes: Buffer, caret: Caret | undefined): boolean {
    const moved = caret?.x !== this.caret?.x || caret?.y !== this.caret?.y;
    const shape = caret?.shape ?? 0;
    const isShaped = shape !== (this.caret?.shape ?? 0);
    if (changes.length === 0 && !moved && !isShaped) return true;
    this.caret = caret;
    const style = isShaped ? `\x1b[${shape} q` : "";
    const cursor = caret === undefined ? style : `${style}\x1b[${caret.y + 1};${caret.x + 1}H\x1b[?25h`;
    return this.host.write(
      Buffer.concat([Buffer.from("\x1b[?2026h\x1b[?25l"), changes, Buffer.from(`${cursor}\x1b[?2026l`)]),
    );
  }
}
