/** Prompts: for a line of text, or for a key. */
import { nameOf, type Key } from "../input/key.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { fit, wrapped } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage, View } from "../view.ts";
import { editText } from "./edit-text.ts";
import { LineEditor } from "./line-editor.ts";
import { centred, hints, panel } from "./panel.ts";

const WIDTH = 70;

/** What a prompt offers beside typing. */
export interface PromptHelp {
  /** The completion of the text, and the candidates. */
  complete?(text: string): Promise<{ text: string; choices: string[] }>;
  /** Texts to choose from; they may come later. */
  recent?: readonly string[];
  /** It may have several lines, written in the user's editor. */
  isLong?: true;
}

export class PromptView implements View {
  private readonly stage: Stage;
  private readonly title: string;
  private readonly answer: (text: string) => void;
  private readonly line: LineEditor;
  private readonly help: PromptHelp;
  private choices: readonly string[];
  /** The chosen one of `recent`; -1 is the text itself. */
  private chosen = -1;

  constructor(stage: Stage, title: string, text: string, answer: (text: string) => void, help: PromptHelp = {}) {
    this.stage = stage;
    this.title = title;
    this.line = new LineEditor(text);
    this.answer = answer;
    this.help = help;
    this.choices = help.recent ?? [];
  }

  draw(grid: Grid, area: Rect): Caret {
    const { complete, recent = [], isLong } = this.help;
    const keys = [
      complete === undefined ? "" : "tab complete",
      recent.length === 0 ? "" : "up/down recent",
      isLong === undefined ? "" : `${this.stage.keymap.keyOf("prompt", "editor")} editor`,
    ];
    const hint = [...keys, "enter ok", "esc cancel"].filter((part) => part !== "").join("  ");
    const lines = this.choices === recent ? recent : [this.choices.join("  ")];
    const shown = lines.filter((line) => line !== "");
    const inside = panel(grid, centred(area, WIDTH, 3 + shown.length), this.title, hint);
    shown.slice(0, inside.height - 1).forEach((line, at) => {
      const look = this.choices === recent && at === this.chosen ? THEME.panelSelected : THEME.panelDim;
      grid.put(inside.x, inside.y + 1 + at, fit(line, inside.width), look);
    });
    return this.line.draw(grid, inside.x, inside.y, inside.width, THEME.panel);
  }

  key(pressed: Key): void {
    const action = this.stage.keymap.action("prompt", nameOf(pressed));
    if (action === "accept" || action === "cancel") {
      this.stage.pop(this);
      if (action === "accept") this.answer(this.line.text);
    } else if (action === "editor" && this.help.isLong === true) this.stage.attempt(this.edit());
    else if (action === "up" || action === "down") this.choose(action === "up" ? -1 : 1);
    else if (action === "complete" && this.help.complete !== undefined) this.stage.attempt(this.complete());
    else this.line.key(pressed);
    this.stage.redraw();
  }

  paste(text: string): void {
    this.line.insert(text);
    this.stage.redraw();
  }

  private async complete(): Promise<void> {
    const typed = this.line.text;
    const completed = await this.help.complete?.(typed);
    // The user may have typed on.
    if (completed === undefined || this.line.text !== typed) return;
    this.line.text = completed.text;
    this.choices = completed.choices;
    this.stage.redraw();
  }

  private async edit(): Promise<void> {
    const text = await editText(this.stage, this.line.text);
    if (text === undefined) return;
    this.stage.pop(this);
    this.answer(text);
  }

  private choose(step: number): void {
    const { recent = [] } = this.help;
    const next = this.chosen + step;
    if (recent[next] === undefined) return;
    this.choices = recent;
    this.chosen = next;
    this.line.text = recent[next];
  }
}

/** Asks for a text that may have several lines. */
export function askText(stage: Stage, title: string, text: string, answer: (text: string) => void): void {
  if (!text.includes("\n")) return stage.push(new PromptView(stage, title, text, answer, { isLong: true }));
  // A line cannot show it.
  const edited = editText(stage, text).then((typed) => {
    if (typed !== undefined) answer(typed);
  });
  stage.attempt(edited);
}

export interface Choice {
  key: string;
  does: string;
  run(): void;
}

/** A question answered by one key; escape cancels. */
export class ChoiceView implements View {
  private readonly stage: Stage;
  private readonly question: string;
  private readonly choices: readonly Choice[];

  constructor(stage: Stage, question: string, choices: readonly Choice[]) {
    this.stage = stage;
    this.question = question;
    this.choices = choices;
  }

  draw(grid: Grid, area: Rect): undefined {
    const lines = wrapped(this.question, Math.min(WIDTH, area.width) - 4);
    const inside = panel(grid, centred(area, WIDTH, lines.length + 4), "", "esc cancel");
    lines.forEach((line, row) => grid.put(inside.x, inside.y + row, line, THEME.panel, inside.width));
    const pairs = this.choices.map(({ key, does }) => [key, does] as const);
    hints(grid, { ...inside, y: inside.y + lines.length + 1 }, pairs, THEME.panelKey, THEME.panel);
  }

  key(pressed: Key): void {
    const name = nameOf(pressed);
    const choice = this.choices.find(({ key }) => key === name);
    const isNo = ["q", "n"].includes(name) || this.stage.keymap.action("prompt", name) === "cancel";
    if (choice === undefined && !isNo) return;
    this.stage.pop(this);
    choice?.run();
    this.stage.redraw();
  }
}
