/** A text view with scrolling and search; lines load in the background. */
import { errorText } from "../../lib/text/error-text.ts";
import type { KeyMode } from "../default-keys.ts";
import type { MouseEvent } from "../input/input-event.ts";
import { nameOf, type Key } from "../input/key.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { COLOR_BITS, type Style } from "../render/style.ts";
import { widthOf, wrapped } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage, View } from "../view.ts";
import { putCode } from "./code-line.ts";
import { LineEditor } from "./line-editor.ts";
import { centred, panel } from "./panel.ts";

export interface TextLine {
  text: string;
  look?: Style;
  /** The indent, also of wrapped lines. */
  indent?: number;
  /** The number of the message that begins here. */
  message?: number;
  isPrompt?: boolean;
  /** It is code in this language. */
  language?: string;
}

export interface TextOptions {
  title: string;
  load(width: number): Promise<TextLine[]> | TextLine[];
  /** Replaces the loaded lines: lines that depend on the width. */
  lay?(width: number): TextLine[];
  /** Additional actions of this text, and their key mode. */
  own?: { mode: KeyMode; actions: Readonly<Record<string, { does: string; run(): void }>> };
  /** Begins at the end. */
  atEnd?: boolean;
  /** Begins at this message. */
  atMessage?: number;
  /** Always uses the whole screen. */
  isWhole?: boolean;
}

interface Laid extends TextLine {
  look: Style;
  indent: number;
}

/** The minimum width, so that a search fits. */
const MIN_WIDTH = 40;
const MIN_HEIGHT = 4;
/** Borders and one blank on both sides. */
const FRAME = 4;

export class TextView implements View {
  private readonly stage: Stage;
  private readonly options: TextOptions;
  private lines: TextLine[] | undefined;
  private problem: string | undefined;
  private laid: { width: number; rows: Laid[] } | undefined;
  private top = 0;
  private height = 1;
  private search: LineEditor | undefined;
  private wanted = "";
  private isOver = false;
  /** Counts the requests. */
  private turn = 0;
  private wantedMessage: number | undefined;
  /** The width of the longest line. */
  private widest = 0;

  constructor(stage: Stage, options: TextOptions) {
    this.stage = stage;
    this.options = options;
    this.wantedMessage = options.atMessage;
    void this.load();
  }

  close(): void {
    this.isOver = true;
    this.stage.pop(this);
  }

  async load(): Promise<void> {
    const turn = ++this.turn;
    let lines: TextLine[] | undefined;
    let problem: string | undefined;
    try {
      lines = await this.options.load(this.laid?.width ?? 80);
    } catch (error) {
      problem = errorText(error);
    }
    // A later request may have been answered first.
    if (turn !== this.turn) return;
    this.lines = lines ?? this.lines;
    this.problem = problem;
    this.laid = undefined;
    const widths = (this.lines ?? []).flatMap(({ text, indent = 0 }) =>
      text.split("\n").map((line) => indent + widthOf(line)),
    );
    this.widest = widths.reduce((most, width) => Math.max(most, width), 0);
    if (this.options.atEnd === true) this.top = Number.MAX_SAFE_INTEGER;
    if (!this.isOver) this.stage.redraw();
  }

  /** The message whose heading is at the top of the screen, or above it. */
  get message(): number | undefined {
    const rows = this.laid?.rows ?? [];
    const isHeading = ({ message }: Laid): boolean => message !== undefined;
    const below = rows.slice(this.top, this.top + this.height).find(isHeading);
    return (below ?? rows.slice(0, this.top).findLast(isHeading))?.message;
  }

  /** Shrinks to its content. */
  private boxIn(whole: Rect): Rect {
    if (this.options.isWhole === true || this.lines === undefined) return whole;
    const wanted = Math.max(MIN_WIDTH, this.widest, widthOf(this.options.title) + 2, widthOf(this.hint()) + 2) + FRAME;
    const width = Math.min(wanted, whole.width);
    return centred(whole, width, Math.max(MIN_HEIGHT, this.rowsFor(width - FRAME).length + 2));
  }

  draw(grid: Grid, whole: Rect): Caret | undefined {
    const area = this.boxIn(whole);
    const inside = panel(grid, area, this.options.title, this.hint());
    const rows = this.rowsFor(inside.width);
    this.height = inside.height;
    if (this.wantedMessage !== undefined && this.lines !== undefined) {
      this.top = rows.findIndex(({ message }) => message === this.wantedMessage);
      this.wantedMessage = undefined;
    }
    this.top = Math.max(0, Math.min(this.top, rows.length - inside.height));
    for (let row = 0; row < inside.height; row++) {
      const line = rows[this.top + row];
      if (line === undefined) break;
      const { look, indent, text, language = "" } = line;
      const bg = (look.bg & COLOR_BITS) === 0 ? look.bg | THEME.panel.bg : look.bg;
      const place = { x: inside.x + indent, y: inside.y + row, width: inside.width - indent, height: 1 };
      putCode(grid, place, text, {
        look: { fg: look.fg, bg: bg >>> 0 },
        language,
        loaded: () => this.stage.redraw(),
      });
      if (this.wanted !== "" && line.text.toLowerCase().includes(this.wanted.toLowerCase()))
        grid.tint({ x: inside.x - 1, y: inside.y + row, width: 1, height: 1 }, THEME.matchNow);
    }
    const position =
      rows.length <= inside.height
        ? ""
        : ` ${Math.min(100, Math.round((100 * (this.top + inside.height)) / rows.length))}% `;
    grid.put(area.x + area.width - 2 - position.length, area.y, position, THEME.panelDim);
    if (this.search === undefined) return undefined;
    grid.cover({ x: inside.x, y: inside.y + inside.height - 1, width: inside.width, height: 1 }, THEME.bar, 0x20);
    grid.put(inside.x, inside.y + inside.height - 1, "/", THEME.barAccent);
    return this.search.draw(grid, inside.x + 1, inside.y + inside.height - 1, inside.width - 1, THEME.bar);
  }

  key(pressed: Key): void {
    const name = nameOf(pressed);
    const { keymap } = this.stage;
    const { own } = this.options;
    if (this.search !== undefined) this.searching(pressed, this.search);
    else {
      const special = own === undefined ? undefined : own.actions[keymap.action(own.mode, name) ?? ""];
      if (special === undefined) this.act(keymap.action("text", name));
      else special.run();
    }
    this.stage.redraw();
  }

  mouse({ action }: MouseEvent): void {
    if (action === "wheel-up") this.top -= 3;
    if (action === "wheel-down") this.top += 3;
    this.stage.redraw();
  }

  private act(action: string | undefined): void {
    const page = Math.max(1, this.height - 2);
    const half = Math.max(1, Math.floor(page / 2));
    const steps: Readonly<Record<string, number>> = {
      down: 1, up: -1, "page-down": page, "page-up": -page, "half-page-down": half, "half-page-up": -half,
      top: Number.NEGATIVE_INFINITY, bottom: Number.POSITIVE_INFINITY,
    }; // prettier-ignore
    const step = steps[action ?? ""];
    if (step !== undefined) this.top = Math.min(Math.max(0, this.top + step), Number.MAX_SAFE_INTEGER);
    else if (action === "close") this.close();
    else if (action === "help")
      this.stage.help([...(this.options.own === undefined ? [] : [this.options.own.mode]), "text"]);
    else if (action === "search") this.search = new LineEditor();
    else if (action === "next-match") this.find(1);
    else if (action === "previous-match") this.find(-1);
    else if (action === "refresh") void this.load();
    else if (action === "next-prompt") this.toPrompt(1);
    else if (action === "previous-prompt") this.toPrompt(-1);
  }

  private toPrompt(step: 1 | -1): void {
    const rows = this.laid?.rows ?? [];
    for (let at = this.top + step; at >= 0 && at < rows.length; at += step) {
      if (rows[at]?.isPrompt !== true) continue;
      this.top = at;
      return;
    }
    this.stage.say(`No prompt ${step === 1 ? "below" : "above"}.`);
  }

  private searching(pressed: Key, search: LineEditor): void {
    const action = this.stage.keymap.action("prompt", nameOf(pressed));
    if (action === "cancel") this.search = undefined;
    else if (action === "accept") {
      this.wanted = search.text;
      this.search = undefined;
      this.top--;
      this.find(1);
    } else search.key(pressed);
  }

  private hint(): string {
    const { keymap } = this.stage;
    const { own } = this.options;
    const special = Object.entries(own?.actions ?? {}).map(([action, { does }]) =>
      own === undefined ? "" : `${keymap.keyOf(own.mode, action)} ${does}`,
    );
    return [
      ...special,
      `${keymap.keyOf("text", "search")} find`,
      `${keymap.keyOf("text", "help")} help`,
      `${keymap.keyOf("text", "close")} close`,
    ].join("  ");
  }

  private find(step: 1 | -1): void {
    const rows = this.laid?.rows ?? [];
    const wanted = this.wanted.toLowerCase();
    if (wanted === "") return;
    for (let at = this.top + step; at >= 0 && at < rows.length; at += step) {
      if (rows[at]?.text.toLowerCase().includes(wanted) === true) {
        this.top = at;
        return;
      }
    }
    this.stage.say(`"${this.wanted}" not found ${step === 1 ? "below" : "above"}.`);
  }

  private rowsFor(width: number): Laid[] {
    if (this.laid?.width === width) return this.laid.rows;
    const rows = this.linesFor(width).flatMap(
      ({ text, look = THEME.panel, indent = 0, message, isPrompt, language = "" }) =>
        wrapped(text, width - indent).map((part, at) => ({
          text: part,
          look,
          indent,
          language,
          ...(at === 0 && message !== undefined ? { message, isPrompt: isPrompt === true } : {}),
        })),
    );
    this.laid = { width, rows };
    return rows;
  }

  private linesFor(width: number): TextLine[] {
    if (this.problem !== undefined) return [{ text: this.problem, look: THEME.bad }];
    return this.options.lay?.(width) ?? this.lines ?? [{ text: "loading …", look: THEME.dim }];
  }
}
