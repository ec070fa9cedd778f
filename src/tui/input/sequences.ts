/** Escape sequences of keyboards and mice. */
import type { InputEvent, MouseEvent } from "./input-event.ts";
import { characterKey, key, type Key } from "./key.ts";

const LETTER_KEYS: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "center",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};

const TILDE_KEYS: Readonly<Record<number, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
};

/** Kitty's codes for keys that type nothing. */
const KITTY_KEYS: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "esc",
  127: "backspace",
  57_358: "capslock",
  57_399: "0",
  57_400: "1",
  57_401: "2",
  57_402: "3",
  57_403: "4",
  57_404: "5",
  57_405: "6",
  57_406: "7",
  57_407: "8",
  57_408: "9",
  57_409: ".",
  57_410: "/",
  57_411: "*",
  57_412: "-",
  57_413: "+",
  57_414: "enter",
  57_417: "left",
  57_418: "right",
  57_419: "up",
  57_420: "down",
  57_421: "pageup",
  57_422: "pagedown",
  57_423: "home",
  57_424: "end",
};

/** Kitty's private codes of modifier and media keys, which are ignored. */
const SILENT_FROM = 57_344;

const RELEASE = 3;

/** Undefined if it is not input. "nothing" for input without effect, such as a key release. */
export function csiEvent(prefix: string, parameters: string, last: string): InputEvent | "nothing" | undefined {
  if (prefix === "<" && (last === "M" || last === "m")) return mouseEvent(parameters, last);
  if (prefix !== "") return undefined;
  if (parameters === "" && last === "I") return { type: "focus", gained: true };
  if (parameters === "" && last === "O") return { type: "focus", gained: false };
  const fields = parameters.split(";").map((field) => field.split(":").map(Number));
  const [first = [0], second = [1]] = fields;
  const modifiers = modifiersOf(second[0] ?? 1);
  if (second[1] === RELEASE) return "nothing";
  if (last === "u") return kittyKey(first[0] ?? 0, first[1], modifiers);
  if (last === "Z") return pressed(key("tab", { shift: true }));
  // A cursor position report looks like F3 with modifiers; the row tells them apart.
  if (last === "R" && (fields.length < 2 || (first[0] ?? 0) > 1)) return undefined;
  if (last === "~") {
    // xterm's modifyOtherKeys: 27;modifiers;code.
    if (first[0] === 27 && fields.length === 3) return kittyKey(fields[2]?.[0] ?? 0, undefined, modifiers);
    const name = TILDE_KEYS[first[0] ?? 0];
    return name === undefined ? undefined : pressed(key(name, modifiers));
  }
  const name = LETTER_KEYS[last];
  return name === undefined ? undefined : pressed(key(name, modifiers));
}

export function ss3Key(last: string): Key | undefined {
  const name = LETTER_KEYS[last];
  if (name !== undefined) return key(name);
  return last === "M" ? key("enter") : undefined;
}

function pressed(found: Key): InputEvent {
  return { type: "key", key: found };
}

function modifiersOf(value: number): { shift: boolean; alt: boolean; ctrl: boolean } {
  const bits = Math.max(0, value - 1);
  return { shift: (bits & 1) !== 0, alt: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 };
}

function kittyKey(
  code: number,
  shifted: number | undefined,
  modifiers: ReturnType<typeof modifiersOf>,
): InputEvent | "nothing" {
  const name = KITTY_KEYS[code];
  if (name !== undefined) {
    const types = name.length === 1 && !modifiers.ctrl && !modifiers.alt ? name : "";
    return pressed(key(name, { ...modifiers, text: types }));
  }
  if (code >= SILENT_FROM || code < 0x20 || code > 0x10_ffff) return "nothing";
  const character = String.fromCodePoint(code);
  const typed = modifiers.shift
    ? String.fromCodePoint(shifted ?? character.toUpperCase().codePointAt(0) ?? code)
    : character;
  if (modifiers.ctrl) return pressed(key(character === " " ? "space" : character.toLowerCase(), modifiers));
  // Shift with a key that is not a letter already gives another character.
  return pressed(characterKey(typed, modifiers.alt));
}

const WHEEL = 64;
const MOTION = 32;
const WHEEL_ACTIONS = ["wheel-up", "wheel-down", "wheel-left", "wheel-right"] as const;

function mouseEvent(parameters: string, last: string): MouseEvent | undefined {
  const [code = Number.NaN, x = Number.NaN, y = Number.NaN] = parameters.split(";").map(Number);
  if (![code, x, y].every(Number.isInteger)) return undefined;
  const low = code & 3;
  const common = {
    type: "mouse" as const,
    x: Math.max(0, x - 1),
    y: Math.max(0, y - 1),
    shift: (code & 4) !== 0,
    alt: (code & 8) !== 0,
    ctrl: (code & 16) !== 0,
  };
  if ((code & WHEEL) !== 0) return { ...common, action: WHEEL_ACTIONS[low] ?? "wheel-up", button: undefined };
  const button = low === 3 ? undefined : low;
  if ((code & MOTION) !== 0) return { ...common, action: "move", button };
  return { ...common, action: last === "M" ? "press" : "release", button };
}
