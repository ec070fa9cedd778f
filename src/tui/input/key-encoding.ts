/** Encodes keys and mouse events for the program in a pane, which may use another encoding than the user's terminal. */
import type { MouseEvent } from "./input-event.ts";
import type { Key } from "./key.ts";

/** The modes the program has set. */
export interface KeyboardModes {
  applicationCursor: boolean;
  /** Kitty keyboard flags; 0 for legacy encodings. */
  kitty: number;
}

const CURSOR: Readonly<Record<string, string>> = {
  up: "A",
  down: "B",
  right: "C",
  left: "D",
  home: "H",
  end: "F",
  center: "E",
};
const FUNCTION: Readonly<Record<string, string>> = { f1: "P", f2: "Q", f3: "R", f4: "S" };
const TILDE: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  pageup: 5,
  pagedown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};
const CODES: Readonly<Record<string, number>> = { esc: 27, enter: 13, tab: 9, backspace: 127, space: 32 };

const DISAMBIGUATE = 1;
const ALL_KEYS = 8;

export function encodeKey(pressed: Key, modes: KeyboardModes): string {
  const { key, shift } = pressed;
  const modifier = 1 + (shift ? 1 : 0) + (pressed.alt ? 2 : 0) + (pressed.ctrl ? 4 : 0);
  const cursor = CURSOR[key] ?? FUNCTION[key];
  if (cursor !== undefined) {
    if (modifier > 1) return `\x1b[1;${modifier}${cursor}`;
    return modes.applicationCursor || key in FUNCTION ? `\x1bO${cursor}` : `\x1b[${cursor}`;
  }
  const tilde = TILDE[key];
  if (tilde !== undefined) return modifier > 1 ? `\x1b[${tilde};${modifier}~` : `\x1b[${tilde}~`;
  return modes.kitty > 0 ? kittyText(pressed, modifier, modes.kitty) : oldText(pressed);
}

function kittyText(pressed: Key, modifier: number, flags: number): string {
  const { key, ctrl, alt, shift } = pressed;
  const code = CODES[key] ?? key.codePointAt(0) ?? 0;
  const isPlain = !ctrl && !alt;
  // Keys that type text, enter, tab and backspace stay text unless the program requests all keys.
  const isText = isPlain && pressed.text !== "" && (flags & ALL_KEYS) === 0;
  const staysOld = isPlain && !shift && ["enter", "tab", "backspace"].includes(key) && (flags & ALL_KEYS) === 0;
  if (isText || staysOld || (flags & (DISAMBIGUATE | ALL_KEYS)) === 0) return oldText(pressed);
  return modifier > 1 ? `\x1b[${code};${modifier}u` : `\x1b[${code}u`;
}

function oldText(pressed: Key): string {
  const { key, ctrl, alt, shift, text } = pressed;
  const escape = alt ? "\x1b" : "";
  if (key === "tab") return shift ? "\x1b[Z" : `${escape}\t`;
  if (key === "backspace") return escape + (ctrl ? "\b" : "\x7f");
  if (key === "enter") return `${escape}\r`;
  if (key === "esc") return `${escape}\x1b`;
  const character = key === "space" ? " " : shift ? key.toUpperCase() : key;
  if (ctrl) return escape + control(key);
  return escape + (text === "" ? ([...character].length === 1 ? character : "") : text);
}

function control(key: string): string {
  if (key === "space" || key === "2") return "\0";
  if (/^[a-z[\\\]^_]$/.test(key)) return String.fromCharCode(key.toUpperCase().charCodeAt(0) & 0x1f);
  if (key === "/" || key === "-" || key === "7") return "\x1f";
  if (key === "3") return "\x1b";
  return key === "8" || key === "?" ? "\x7f" : key;
}

export interface MouseModes {
  /** 0 none; 1000 presses; 1002 also drags; 1003 all moves; 9 presses only (X10). */
  tracking: number;
  encoding: "sgr" | "old";
}

/** Empty if the program did not request such events. `x` and `y` are cells in the pane, from 0. */
export function encodeMouse(event: MouseEvent, x: number, y: number, { tracking, encoding }: MouseModes): string {
  if (tracking === 0) return "";
  const isWheel = event.action.startsWith("wheel");
  if (event.action === "move" && (tracking < 1002 || (tracking === 1002 && event.button === undefined))) return "";
  if (tracking === 9 && event.action !== "press") return "";
  const base = isWheel
    ? 64 + ["wheel-up", "wheel-down", "wheel-left", "wheel-right"].indexOf(event.action)
    : (event.button ?? 3) + (event.action === "move" ? 32 : 0);
  const code = base + (event.shift ? 4 : 0) + (event.alt ? 8 : 0) + (event.ctrl ? 16 : 0);
  if (encoding === "sgr") return `\x1b[<${code};${x + 1};${y + 1}${event.action === "release" ? "m" : "M"}`;
  // The legacy encoding ends at column 223 and does not tell which button was released.
  if (x > 222 || y > 222) return "";
  const old = event.action === "release" ? (code & ~3) | 3 : code;
  return `\x1b[M${String.fromCharCode(32 + old, 33 + x, 33 + y)}`;
}

/** Pasted text: line ends become the enter key, and end markers inside the text are removed. */
export function encodePaste(text: string, bracketed: boolean): string {
  const lines = text.replace(/\r\n|\n/g, "\r");
  if (!bracketed) return lines;
  return `\x1b[200~${lines.replaceAll("\x1b[201~", "")}\x1b[201~`;
}
