/** Prompts: for a line of text, or for a key. */
import { nameOf, type Key } from "../input/key.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { fit, wrapped } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage, View } from "../view.ts";
import { LineEditor } from "./line-editor.ts";
import { centred, hints, panel } from "./panel.ts";

const WIDTH = 70;

export class PromptView implements View {
  private readonly stage: Stage;
  private readonly title: string;
  private readonly answer: (text: string) => void;
  private readonly line: LineEditor;
  private readonly complete: ((text: string) => { text: string; choices: string[] }) | undefined;
  private choices: string[] = [];

  /** `complete`: the completion of the text, and the candidates. */
  constructor(
    stage: Stage,
    title: string,
    text: string,
    answer: (text: string) => void,
    complete?: (text: string) => { text: string; choices: string[] },
  ) {
    this.stage = stage;
    this.title = title;
    this.line = new LineEditor(text);
    this.answer = answer;
    this.complete = complete;
  }

  draw(grid: Grid, area: Rect): Caret {
    const hint = `${this.complete === undefined ? "" : "tab complete  "}enter ok  esc cancel`;
    const box = centred(area, WIDTH, this.choices.length === 0 ? 3 : 4);
    const inside = panel(grid, box, this.title, hint);
    if (this.choices.length > 0 && inside.height > 1)
      grid.put(inside.x, inside.y + 1, fit(this.choices.join("  "), inside.width), THEME.panelDim);
    return this.line.draw(grid, inside.x, inside.y, inside.width, THEME.panel);
  }

  key(pressed: Key): void {
    const action = this.stage.keymap.action("prompt", nameOf(pressed));
    if (action === "accept" || action === "cancel") {
      this.stage.pop(this);
      if (action === "accept") this.answer(this.line.text);
    } else if (action === "complete" && this.complete !== undefined) {
      const { text, choices } = this.complete(this.line.text);
      this.line.text = text;
      this.choices = choices;
    } else this.line.key(pressed);
    this.stage.redraw();
  }

  paste(text: string): void {
    this.line.insert(text);
    this.stage.redraw();
  }
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
