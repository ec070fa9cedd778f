/** A line editor, used by all prompts and filters. */
import { nameOf, type Key } from "../input/key.ts";
import { clusters, widthOf } from "../render/text-width.ts";
import type { Grid } from "../render/grid.ts";
import type { Style } from "../render/style.ts";
import type { Caret } from "../view.ts";

export class LineEditor {
  private before: string[] = [];
  private after: string[] = [];

  constructor(text = "") {
    this.before = [...clusters(text)].map((cluster) => cluster.text);
  }

  get text(): string {
    return [...this.before, ...this.after].join("");
  }

  set text(text: string) {
    this.before = [...clusters(text)].map((cluster) => cluster.text);
    this.after = [];
  }

  /** True if the key changed the line. */
  key(pressed: Key): boolean {
    switch (nameOf(pressed)) {
      case "backspace":
        return this.before.pop() !== undefined;
      case "delete":
        return this.after.shift() !== undefined;
      case "left":
        return this.move(this.before.pop(), this.after, "unshift");
      case "right":
        return this.move(this.after.shift(), this.before, "push");
      case "home":
      case "ctrl+a":
        this.after.unshift(...this.before.splice(0));
        return true;
      case "end":
      case "ctrl+e":
        this.before.push(...this.after.splice(0));
        return true;
      case "ctrl+u":
        this.before = [];
        return true;
      case "ctrl+w":
      case "alt+backspace":
        return this.dropWord();
      default:
        return this.type(pressed);
    }
  }

  insert(text: string): void {
    for (const cluster of clusters(text.replace(/\s+/g, " "))) this.before.push(cluster.text);
  }

  /** Draws the text and returns the cursor; a long text shows its end. */
  draw(grid: Grid, x: number, y: number, width: number, look: Style): Caret {
    const typed = this.before.join("");
    let skipped = 0;
    while (widthOf(this.before.slice(skipped).join("")) >= width && skipped < this.before.length) skipped++;
    grid.put(x, y, [...this.before.slice(skipped), ...this.after].join(""), look, width);
    return { x: x + widthOf(skipped === 0 ? typed : this.before.slice(skipped).join("")), y };
  }

  private type({ text, key, ctrl, alt }: Key): boolean {
    const typed = text === "" && key === "space" ? " " : text;
    if (typed === "" || ctrl || alt) return false;
    this.before.push(typed);
    return true;
  }

  private move(cluster: string | undefined, to: string[], how: "push" | "unshift"): true {
    if (cluster !== undefined) to[how](cluster);
    return true;
  }

  private dropWord(): boolean {
    while (this.before.at(-1) === " ") this.before.pop();
    while (this.before.length > 0 && this.before.at(-1) !== " ") this.before.pop();
    return true;
  }
}
