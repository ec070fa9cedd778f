/**
 * Modes a program has set: private modes, keypad, cursor style. The emulator keeps only those it uses; a viewer's terminal may
 * know more, so all are stored and restored.
 */
import type { Terminal } from "@xterm/headless";
import { KittyKeyboard } from "./kitty-keyboard.ts";

/** On by default: auto-wrap, auto-repeat, visible cursor. */
const ON_BY_DEFAULT: ReadonlySet<number> = new Set([7, 8, 25]);

/** Restored by painting: column width, origin, the screens and their saved cursor. */
const NOT_RESTORED: ReadonlySet<number> = new Set([3, 6, 47, 1047, 1048, 1049]);

/** Mouse events and encodings: at most one of each group is on, and resetting any resets all. */
const MOUSE_EVENTS = [9, 1000, 1001, 1002, 1003];
const MOUSE_ENCODINGS = [1005, 1006, 1015, 1016];
const GROUP_OF: ReadonlyMap<number, readonly number[]> = new Map(
  [MOUSE_EVENTS, MOUSE_ENCODINGS].flatMap((group) => group.map((mode) => [mode, group])),
);

/** Reset by a soft reset (DECSTR). */
const SOFT_RESET: readonly number[] = [1, 6, 7, 25, 45, 66, 1004, 2004, 2026];

/** Programs set a few dozen modes; a hostile one must not fill memory. */
const MAX_MODES = 128;

const APPLICATION_KEYPAD = 66;
const CURSOR_VISIBLE = 25;
const MAX_CURSOR_STYLE = 6;

export class TerminalModes {
  readonly keyboard: KittyKeyboard;
  private readonly changed = new Map<number, boolean>();
  private insert = false;
  private style = 0;

  constructor(terminal: Terminal, reply: (text: string) => void) {
    const { parser } = terminal;
    this.keyboard = new KittyKeyboard(terminal, reply);
    // Returning false lets the emulator process the sequence too.
    const watch = (act: (params: number[]) => void) => (params: (number | number[])[]) => {
      // Sub-parameters after a colon are not modes.
      act(params.filter((param): param is number => !Array.isArray(param)));
      return false;
    };
    parser.registerCsiHandler(
      { prefix: "?", final: "h" },
      watch((modes) => this.set(modes, true)),
    );
    parser.registerCsiHandler(
      { prefix: "?", final: "l" },
      watch((modes) => this.set(modes, false)),
    );
    parser.registerCsiHandler(
      { final: "h" },
      watch((modes) => this.setInsert(modes, true)),
    );
    parser.registerCsiHandler(
      { final: "l" },
      watch((modes) => this.setInsert(modes, false)),
    );
    parser.registerCsiHandler(
      { intermediates: " ", final: "q" },
      watch(([style]) => (this.style = style ?? 0)),
    );
    parser.registerCsiHandler(
      { intermediates: "!", final: "p" },
      watch(() => this.softReset()),
    );
    parser.registerEscHandler({ final: "=" }, () => this.setOne(APPLICATION_KEYPAD, true));
    parser.registerEscHandler({ final: ">" }, () => this.setOne(APPLICATION_KEYPAD, false));
    parser.registerEscHandler({ final: "c" }, () => this.reset());
  }

  get cursorVisible(): boolean {
    return this.changed.get(CURSOR_VISIBLE) !== false;
  }

  /** DECSCUSR value; 0 is the terminal's default. */
  get cursorStyle(): number {
    return this.style <= MAX_CURSOR_STYLE ? this.style : 0;
  }

  isOn(mode: number): boolean {
    return this.changed.get(mode) ?? ON_BY_DEFAULT.has(mode);
  }

  /** Sequences that restore every mode on a reset terminal. */
  restore(): string {
    let out = this.insert ? "\x1b[4h" : "";
    for (const [mode, on] of this.changed) {
      if (mode === APPLICATION_KEYPAD) out += on ? "\x1b=" : "";
      else out += `\x1b[?${mode}${on ? "h" : "l"}`;
    }
    return this.style === 0 ? out : `${out}\x1b[${this.style} q`;
  }

  private set(modes: number[], on: boolean): void {
    for (const mode of modes) this.setOne(mode, on);
  }

  private setOne(mode: number, on: boolean): false {
    if (NOT_RESTORED.has(mode)) return false;
    for (const other of GROUP_OF.get(mode) ?? []) this.changed.delete(other);
    // Deleted first, so that modes are restored in the order of their last change.
    this.changed.delete(mode);
    if (on !== ON_BY_DEFAULT.has(mode) && this.changed.size < MAX_MODES) this.changed.set(mode, on);
    return false;
  }

  private setInsert(modes: number[], on: boolean): void {
    if (modes.includes(4)) this.insert = on;
  }

  private softReset(): void {
    for (const mode of SOFT_RESET) this.changed.delete(mode);
    this.insert = false;
  }

  private reset(): false {
    this.changed.clear();
    this.insert = false;
    this.style = 0;
    this.keyboard.reset();
    return false;
  }
}
