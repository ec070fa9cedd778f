/** The interface of a view, and of the stage that shows it. */
import type { MouseEvent } from "./input/input-event.ts";
import type { Key } from "./input/key.ts";
import type { KeyMode } from "./default-keys.ts";
import type { Keymap } from "./keymap.ts";
import type { Grid, Rect } from "./render/grid.ts";
import type { TuiServices } from "./services.ts";
import type { SessionBoard } from "./data/session-board.ts";
import type { ParseBudget } from "./panes/parse-budget.ts";

/** Position of the terminal's cursor; undefined hides it. */
export interface Caret {
  x: number;
  y: number;
  /** DECSCUSR shape: 0 default, 1 and 2 block, 3 and 4 underline, 5 and 6 bar; odd ones blink. */
  shape?: number;
}

export interface View {
  draw(grid: Grid, area: Rect): Caret | undefined;
  key(pressed: Key): void;
  mouse?(event: MouseEvent): void;
  paste?(text: string): void;
  /** Called when it is hidden. */
  close?(): void;
}

export type NoticeKind = "info" | "good" | "bad";

export interface Stage {
  readonly services: TuiServices;
  readonly keymap: Keymap;
  readonly board: SessionBoard;
  readonly budget: ParseBudget;
  /** Draws with the next frame; `atOnce` for responses to input. */
  redraw(atOnce?: boolean): void;
  /** Shows a view on top. */
  push(view: View): void;
  pop(view: View): void;
  /** Shows a message in the last line for a few seconds and adds it to the messages view. */
  say(text: string, kind?: NoticeKind): void;
  readonly said: readonly { at: Date; text: string }[];
  /** Runs something that may fail and shows its error. */
  attempt(work: Promise<unknown>): void;
  /** Opens the session's panes in their last layout. */
  openSession(sessionId: string, ptyId?: string): Promise<void>;
  /** Adds a terminal to the visible ones. */
  addPane(sessionId: string, ptyId: string): void;
  /** Shows the list, or only the sessions of a directory. */
  showDashboard(directory?: string): void;
  /** Gives the terminal to another program until that exits; whether it succeeded. */
  handOver(program: string, args: readonly string[]): Promise<boolean>;
  /** Shows the keys, those of these modes first. */
  help(modes: readonly KeyMode[]): void;
  copy(text: string): void;
  act(action: string): void;
  quit(): void;
  /** The session whose panes are open, if any. */
  readonly openSessionId: string | undefined;
}
