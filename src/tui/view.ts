/** What can be on the screen, and what it may ask of the whole. */
import type { MouseEvent } from "./input/input-event.ts";
import type { Key } from "./input/key.ts";
import type { KeyMode } from "./default-keys.ts";
import type { Keymap } from "./keymap.ts";
import type { Grid, Rect } from "./render/grid.ts";
import type { TuiServices } from "./services.ts";
import type { SessionBoard } from "./data/session-board.ts";
import type { ParseBudget } from "./panes/parse-budget.ts";

/** Where the terminal's cursor is to be; undefined: nowhere. */
export interface Caret {
  x: number;
  y: number;
  /** As DECSCUSR counts: 0 is the terminal's own, 1 and 2 a block, 3 and 4 a line below, 5 and 6 a bar; odd ones blink. */
  shape?: number;
}

export interface View {
  draw(grid: Grid, area: Rect): Caret | undefined;
  key(pressed: Key): void;
  mouse?(event: MouseEvent): void;
  paste?(text: string): void;
  /** It is not shown any more. */
  close?(): void;
}

export type NoticeKind = "info" | "good" | "bad";

export interface Stage {
  readonly services: TuiServices;
  readonly keymap: Keymap;
  readonly board: SessionBoard;
  readonly budget: ParseBudget;
  /** Soon, at the display's pace; `atOnce` for what the user waits for. */
  redraw(atOnce?: boolean): void;
  /** Shows a view over what is there. */
  push(view: View): void;
  pop(view: View): void;
  /** A line at the bottom, for a few seconds; also kept for the console. */
  say(text: string, kind?: NoticeKind): void;
  readonly said: readonly { at: Date; text: string }[];
  /** Runs something that may fail; its failure is said. */
  attempt(work: Promise<unknown>): void;
  /** The session's panes, as they were left. */
  openSession(sessionId: string, ptyId?: string): Promise<void>;
  /** A terminal beside those that are shown. */
  addPane(sessionId: string, ptyId: string): void;
  /** The list; given a directory, only its sessions. */
  showDashboard(directory?: string): void;
  /** Gives the terminal to another program until it ends. */
  handOver(program: string, args: readonly string[]): Promise<void>;
  /** The keys, those of these modes first. */
  help(modes: readonly KeyMode[]): void;
  copy(text: string): void;
  act(action: string): void;
  quit(): void;
  /** The session whose panes are open, if any. */
  readonly openSessionId: string | undefined;
}
