/** A list filtered by typing: sessions, actions, templates, search results. */
import { nameOf, type Key } from "../input/key.ts";
import type { MouseEvent } from "../input/input-event.ts";
import { padded, widthOf } from "../render/text-width.ts";
import type { Grid, Rect } from "../render/grid.ts";
import type { Style } from "../render/style.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage, View } from "../view.ts";
import { LineEditor } from "./line-editor.ts";
import { centred, panel } from "./panel.ts";

export interface ListItem {
  id: string;
  label: string;
  /** Right-aligned. */
  detail?: string;
  icon?: { text: string; look: Style };
  /** Additional text to filter by. */
  words?: string;
}

export interface ListOptions {
  title: string;
  hint?: string;
  placeholder?: string;
  /** Called for every frame. */
  items(filter: string): readonly ListItem[];
  /** The items are already filtered. */
  filtered?: boolean;
  /** Text for an empty list. */
  empty?(filter: string): string;
  closed?(): void;
  /** Called with an action of the picker's keys. */
  act(action: string, item: ListItem | undefined, filter: string, view: ListView): void;
}

const WIDTH = 90;
const HEIGHT = 24;

export class ListView implements View {
  private readonly stage: Stage;
  private readonly options: ListOptions;
  private readonly filter = new LineEditor();
  private selected = 0;
  private top = 0;
  private shown: readonly ListItem[] = [];
  /** The width of all items, so that the box keeps its size while typing. */
  private count = 0;
  private rows: Rect = { x: 0, y: 0, width: 0, height: 0 };

  constructor(stage: Stage, options: ListOptions) {
    this.stage = stage;
    this.options = options;
  }

  close(): void {
    this.options.closed?.();
    this.stage.pop(this);
  }

  draw(grid: Grid, area: Rect): Caret {
    this.refresh();
    const { title, hint = "", placeholder = "type to filter" } = this.options;
    // An empty list has room for its text.
    const lines = this.count === 0 ? 2 : this.count;
    const box = centred(area, WIDTH, this.options.filtered === true ? HEIGHT : Math.min(HEIGHT, lines + 3));
    const inside = panel(grid, box, title, hint);
    grid.put(inside.x, inside.y, "›", THEME.panelTitle);
    const field = { x: inside.x + 2, width: inside.width - 2 };
    if (this.filter.text === "") grid.put(field.x, inside.y, placeholder, THEME.panelDim, field.width);
    const caret = this.filter.draw(grid, field.x, inside.y, field.width, THEME.panel);
    this.rows = { x: inside.x, y: inside.y + 1, width: inside.width, height: Math.max(0, inside.height - 1) };
    this.top = Math.min(Math.max(this.top, this.selected - this.rows.height + 1), this.selected);
    for (let row = 0; row < this.rows.height; row++) {
      const item = this.shown[this.top + row];
      if (item !== undefined) this.drawItem(grid, item, this.rows.y + row, this.top + row === this.selected);
    }
    if (this.shown.length === 0) {
      const { empty = () => "nothing found" } = this.options;
      grid.put(inside.x, inside.y + 2, empty(this.filter.text), THEME.panelDim, inside.width);
    }
    return caret;
  }

  key(pressed: Key): void {
    const action = this.stage.keymap.action("picker", nameOf(pressed));
    if (action === undefined) {
      if (this.filter.key(pressed)) this.selected = 0;
    } else {
      // Keys can arrive faster than frames, so the filter is applied first.
      this.refresh();
      this.act(action);
    }
    this.stage.redraw();
  }

  paste(text: string): void {
    this.filter.insert(text);
    this.stage.redraw();
  }

  mouse(event: MouseEvent): void {
    if (event.action === "wheel-up") this.selected--;
    else if (event.action === "wheel-down") this.selected++;
    else if (event.action === "press") {
      const row = event.y - this.rows.y;
      const inside =
        row >= 0 && row < this.rows.height && event.x >= this.rows.x && event.x < this.rows.x + this.rows.width;
      if (!inside || this.shown[this.top + row] === undefined) return;
      this.selected = this.top + row;
      this.act("choose");
    }
    this.stage.redraw();
  }

  private act(action: string): void {
    const page = Math.max(1, this.rows.height - 1);
    switch (action) {
      case "up":
        this.selected = this.selected === 0 ? Math.max(0, this.shown.length - 1) : this.selected - 1;
        return;
      case "down":
        this.selected = this.selected >= this.shown.length - 1 ? 0 : this.selected + 1;
        return;
      case "page-up":
        this.selected = Math.max(0, this.selected - page);
        return;
      case "page-down":
        this.selected = Math.min(Math.max(0, this.shown.length - 1), this.selected + page);
        return;
      case "cancel":
        return this.close();
      default:
        return this.options.act(action, this.shown[this.selected], this.filter.text, this);
    }
  }

  private refresh(): void {
    this.shown = this.visible();
    this.selected = Math.max(0, Math.min(this.selected, this.shown.length - 1));
  }

  private visible(): readonly ListItem[] {
    const text = this.filter.text.toLowerCase();
    const items = this.options.items(this.filter.text);
    this.count = items.length;
    if (this.options.filtered === true || text.trim() === "") return items;
    const words = text.split(/\s+/).filter((word) => word !== "");
    return items.filter(({ label, detail = "", words: more = "" }) => {
      const searched = `${label} ${detail} ${more}`.toLowerCase();
      return words.every((word) => searched.includes(word));
    });
  }

  private drawItem(grid: Grid, { label, detail = "", icon }: ListItem, y: number, isSelected: boolean): void {
    const { x, width } = this.rows;
    const look = isSelected ? THEME.panelSelected : THEME.panel;
    if (isSelected) grid.cover({ x: x - 1, y, width: width + 2, height: 1 }, look, 0x20);
    const from = icon === undefined ? x : x + 2;
    if (icon !== undefined) grid.put(x, y, icon.text, { fg: icon.look.fg, bg: look.bg });
    const room = Math.max(0, x + width - from);
    const right = Math.min(widthOf(detail), Math.floor(room / 2));
    grid.put(from, y, padded(label, room - right - 1), look, room - right - 1);
    const detailLook = isSelected ? THEME.selectedDim : THEME.panelDim;
    grid.put(x + width - right, y, padded(detail, right), detailLook, right);
  }
}
