/** All terminals of all running sessions, with a live preview that accepts input. */
import { splitRemoteId } from "../../protocol/session-id.ts";
import type { GitInfo } from "../../status/git-info.ts";
import { encodeKey, encodePaste } from "../input/key-encoding.ts";
import type { MouseEvent } from "../input/input-event.ts";
import { nameOf, type Key } from "../input/key.ts";
import { endSession } from "../data/session-actions.ts";
import { openTerminals } from "../data/terminals.ts";
import { MAIN_PTY, paneId } from "../layout/pane-id.ts";
import { CopyMode } from "../panes/copy-mode.ts";
import { Pane } from "../panes/pane.ts";
import { drawPlaceholder } from "../panes/placeholder.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { fit, widthOf } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage, View } from "../view.ts";
import { LineEditor } from "./line-editor.ts";
import { hints } from "./panel.ts";
import { ChoiceView } from "./prompts.ts";
import { CARD_ROWS, cardsOf, drawCard, type Card } from "./terminal-card.ts";

const SETTLE_MS = 80;
const LIST_SHARE = 0.34;

export class AggregateView implements View {
  private readonly stage: Stage;
  private readonly filter = new LineEditor();
  private cards: Card[] = [];
  private selected = 0;
  private top = 0;
  /** Shows only terminals of the open session. */
  private onlyHere = false;
  /** The terminal has the focus. */
  private inside = false;
  private wantsSearch = false;
  private pane: Pane | undefined;
  private shownId = "";
  private timer: NodeJS.Timeout | undefined;
  private copying: CopyMode | undefined;
  private list: Rect = { x: 0, y: 0, width: 0, height: 0 };
  private right: Rect = { x: 0, y: 0, width: 0, height: 0 };

  constructor(stage: Stage) {
    this.stage = stage;
  }

  close(): void {
    clearTimeout(this.timer);
    this.leaveCopy();
    this.pane?.close();
    this.pane = undefined;
    this.shownId = "";
  }

  draw(grid: Grid, area: Rect): Caret | undefined {
    this.cards = this.found();
    this.selected = Math.max(0, Math.min(this.selected, this.cards.length - 1));
    grid.cover(area);
    const listWidth = Math.max(20, Math.floor(area.width * LIST_SHARE));
    this.list = { x: area.x, y: area.y + 1, width: listWidth, height: area.height - 2 };
    this.right = {
      x: area.x + listWidth + 1,
      y: area.y + 1,
      width: Math.max(0, area.width - listWidth - 1),
      height: area.height - 2,
    };
    grid.cover({ ...area, height: 1 }, THEME.bar, 0x20);
    const scope = this.onlyHere ? "this session" : "all sessions";
    const x = grid.put(area.x, area.y, " terminals ", THEME.chip) + 1;
    grid.put(x, area.y, `${this.cards.length} of ${scope}  /`, THEME.bar);
    const caret = this.filter.draw(
      grid,
      x + widthOf(`${this.cards.length} of ${scope}  / `),
      area.y,
      Math.max(1, area.width - x - 30),
      THEME.barStrong,
    );
    this.drawCards(grid);
    const inner = this.drawPreview(grid);
    this.drawHints(grid, { x: area.x, y: area.y + area.height - 1, width: area.width, height: 1 });
    return this.inside ? inner : caret;
  }

  key(pressed: Key): void {
    const name = nameOf(pressed);
    const action = this.stage.keymap.action("aggregate", name);
    if (this.copying !== undefined && name !== "alt+esc") this.copying.key(pressed);
    else if (this.inside) this.keyInside(pressed, action, name);
    else if (action === undefined) {
      if (this.filter.key(pressed)) this.selected = 0;
    } else {
      this.cards = this.found();
      this.act(action);
    }
    this.stage.redraw();
  }

  paste(text: string): void {
    if (this.inside && this.pane !== undefined) this.pane.write(encodePaste(text, this.pane.screen.bracketedPaste));
    else this.filter.insert(text);
    this.stage.redraw();
  }

  mouse(event: MouseEvent): void {
    const { list, right } = this;
    if (event.x >= right.x) {
      if (event.action === "press") this.enter(true);
      else if (event.action === "wheel-up" && this.pane !== undefined)
        this.startCopy()?.mouse(event, event.x - right.x, event.y - right.y - 1);
      else this.copying?.mouse(event, event.x - right.x, event.y - right.y - 1);
    } else if (event.action === "wheel-up" || event.action === "wheel-down")
      this.move(event.action === "wheel-up" ? -1 : 1);
    else if (event.action === "press" && event.y >= list.y) {
      const at = this.top + Math.floor((event.y - list.y) / CARD_ROWS);
      if (this.cards[at] !== undefined) {
        this.selected = at;
        this.enter(false);
      }
    }
    this.stage.redraw();
  }

  private get card(): Card | undefined {
    return this.cards[this.selected];
  }

  private keyInside(pressed: Key, action: string | undefined, name: string): void {
    if (name === "alt+esc") return this.enter(false);
    if (action === "search") return this.startCopy()?.search();
    if (action === "kill") return this.kill();
    this.pane?.write(encodeKey(pressed, this.pane.screen.keyboard));
  }

  private act(action: string): void {
    const page = Math.max(1, Math.floor(this.list.height / CARD_ROWS));
    const steps: Readonly<Record<string, number>> = { up: -1, down: 1, "page-up": -page, "page-down": page };
    const step = steps[action];
    if (step !== undefined) return this.move(step);
    switch (action) {
      case "preview":
        return this.enter(true);
      case "jump":
        return this.jump();
      case "scope":
        this.onlyHere = !this.onlyHere;
        return;
      case "kill":
        return this.kill();
      case "search":
        this.enter(true);
        // The terminal may not be connected yet.
        this.wantsSearch = this.pane === undefined;
        this.startCopy()?.search();
        return;
      case "cancel":
        if (this.filter.text === "") this.stage.pop(this);
        else this.filter.text = "";
        return;
      default:
        return undefined;
    }
  }

  private move(step: number): void {
    this.selected = Math.max(0, Math.min(this.cards.length - 1, this.selected + step));
    this.enter(false);
  }

  /** Input makes this viewer's size apply. */
  private enter(inside: boolean): void {
    if (this.inside === inside || (inside && this.card === undefined)) return;
    this.inside = inside;
    this.leaveCopy();
    // Input opens the selected terminal immediately, and never goes to the one before.
    if (inside) this.follow(this.card);
    if (inside && this.pane === undefined && this.card !== undefined) {
      clearTimeout(this.timer);
      this.open(this.card);
    } else this.pane?.use(inside);
  }

  private jump(): void {
    const { card, stage } = this;
    if (card === undefined) return;
    stage.pop(this);
    stage.attempt(stage.openSession(card.sessionId, card.ptyId));
  }

  private kill(): void {
    const { card, stage } = this;
    if (card === undefined) return;
    const end = async (): Promise<void> => {
      if (card.ptyId === MAIN_PTY) await endSession(stage.services, card.sessionId);
      else await endTerminal(stage, card);
      stage.board.refresh();
    };
    stage.push(
      new ChoiceView(stage, `End ${card.title}?`, [{ key: "y", does: "end it", run: () => stage.attempt(end()) }]),
    );
  }

  private startCopy(): CopyMode | undefined {
    if (this.pane === undefined) return undefined;
    this.copying ??= new CopyMode(this.stage, this.pane, () => this.leaveCopy());
    return this.copying;
  }

  private leaveCopy(): void {
    this.copying?.close();
    this.copying = undefined;
    this.stage.redraw();
  }

  /** A row matches if any word of the filter does. */
  private found(): Card[] {
    const words = this.filter.text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    return this.stage.board
      .rows()
      .flatMap(cardsOf)
      .filter((card) => {
        if (this.onlyHere && card.sessionId !== this.stage.openSessionId) return false;
        const branch = this.gitOf(card)?.branch ?? "";
        const searched = `${card.title} ${card.process} ${card.cwd} ${branch}`.toLowerCase();
        return words.length === 0 || words.some((word) => searched.includes(word));
      });
  }

  private drawCards(grid: Grid): void {
    const { list, stage } = this;
    const room = Math.max(1, Math.floor(list.height / CARD_ROWS));
    this.top = Math.max(0, Math.min(Math.max(this.top, this.selected - room + 1), this.selected));
    this.cards.slice(this.top, this.top + room).forEach((card, at) => {
      const place = { ...list, y: list.y + at * CARD_ROWS, height: CARD_ROWS };
      drawCard(grid, place, card, {
        isSelected: this.top + at === this.selected,
        git: this.gitOf(card),
        home: stage.services.env.home,
      });
    });
    if (this.cards.length === 0) grid.put(list.x + 2, list.y + 1, "No terminal matches.", THEME.dim, list.width - 3);
  }

  /** A path on another machine is not a local directory. */
  private gitOf({ sessionId, cwd }: Card): GitInfo | undefined {
    return splitRemoteId(sessionId) === undefined ? this.stage.board.gitOf(cwd) : undefined;
  }

  private drawPreview(grid: Grid): Caret | undefined {
    const { right, card } = this;
    for (let y = right.y; y < right.y + right.height; y++)
      grid.put(right.x - 1, y, "│", this.inside ? THEME.accent : THEME.faint);
    this.follow(card);
    if (card === undefined || right.width <= 0) return undefined;
    grid.put(right.x, right.y, fit(` ${headingOf(card)}`, right.width), this.inside ? THEME.accentBold : THEME.dim);
    const content = { ...right, y: right.y + 1, height: right.height - 1 };
    const { pane } = this;
    if (pane === undefined) return undefined;
    if (!pane.ready) {
      drawPlaceholder(grid, pane, content);
      return undefined;
    }
    if (this.inside) pane.resize({ cols: content.width, rows: content.height });
    if (this.copying !== undefined) return this.copying.draw(grid, content);
    const cut = Math.max(0, Math.min(pane.screen.rows - content.height, pane.screen.cursor.y - content.height + 1));
    grid.draw(pane.screen.picture(), content, cut);
    const { x, y, visible } = pane.screen.cursor;
    return visible && x < content.width && y - cut < content.height
      ? { x: content.x + x, y: content.y + y - cut }
      : undefined;
  }

  private follow(card: Card | undefined): void {
    const id = card === undefined ? "" : paneId(card);
    if (id === this.shownId) return;
    this.shownId = id;
    clearTimeout(this.timer);
    this.pane?.close();
    this.pane = undefined;
    if (card !== undefined) this.timer = setTimeout(() => this.open(card), SETTLE_MS);
  }

  private open({ sessionId, ptyId }: Card): void {
    const { stage, right } = this;
    const size = { cols: right.width, rows: right.height - 1 };
    const options = {
      sessionId,
      ptyId,
      connect: () => openTerminals(stage.services, sessionId),
      budget: stage.budget,
      watchOnly: true,
    };
    const nothing = (): void => undefined;
    this.pane = new Pane(options, size, {
      onChange: (isEcho) => stage.redraw(isEcho),
      onEnd: () => this.enter(false),
      onTitle: nothing,
      onBell: nothing,
      onNotification: nothing,
      onClipboard: nothing,
    });
    if (this.inside) this.pane.use(true);
    if (this.wantsSearch) this.startCopy()?.search();
    this.wantsSearch = false;
  }

  private drawHints(grid: Grid, area: Rect): void {
    grid.cover(area, THEME.bar, 0x20);
    const pairs = this.inside
      ? ([
          ["alt+esc", "back to the list"],
          ["alt+f", "search"],
          ["alt+x", "end it"],
        ] as const)
      : ([
          ["enter", "type into it"],
          ["tab", "go there"],
          ["alt+a", "scope"],
          ["alt+x", "end it"],
          ["esc", "close"],
        ] as const);
    hints(grid, { ...area, x: area.x + 1 }, pairs, THEME.barAccent, THEME.bar);
  }
}

async function endTerminal({ services }: Stage, { sessionId, ptyId }: Card): Promise<void> {
  const connection = await openTerminals(services, sessionId);
  connection.send({ _tag: "destroy", ptyId });
  await connection.flushed();
  connection.close();
}

function headingOf({ title, process }: Card): string {
  return title === process ? title : `${title}  ${process}`;
}
