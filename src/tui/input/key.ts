/** Keys by name: `a`, `ctrl+b`, `alt+shift+up`. The names are those of the configuration file. */

export interface Key {
  /** The key: a character, or `enter`, `up`, `f5`, … Letters are lower case; see `shift`. */
  readonly key: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** The text it types, if any. */
  readonly text: string;
}

export function key(name: string, modifiers: Partial<Omit<Key, "key">> = {}): Key {
  return { key: name, ctrl: false, alt: false, shift: false, text: "", ...modifiers };
}

/** The canonical name: modifiers in fixed order. A capital letter is `shift+a`; other characters are themselves. */
export function nameOf({ key: base, ctrl, alt, shift }: Key): string {
  return `${ctrl ? "ctrl+" : ""}${alt ? "alt+" : ""}${shift ? "shift+" : ""}${base}`;
}

const ALIASES: Readonly<Record<string, string>> = {
  escape: "esc",
  return: "enter",
  cr: "enter",
  pgup: "pageup",
  pgdn: "pagedown",
  del: "delete",
  ins: "insert",
  minus: "-",
  plus: "+",
  bs: "backspace",
};
const MODIFIERS: Readonly<Record<string, string>> = {
  ctrl: "ctrl",
  control: "ctrl",
  c: "ctrl",
  alt: "alt",
  meta: "alt",
  m: "alt",
  option: "alt",
  shift: "shift",
  s: "shift",
};

/** The canonical name of a key as the user wrote it: `Alt+H`, `C-b`, `shift+a`. Undefined if it is not a key. */
export function normalKey(text: string): string | undefined {
  const parts = text.trim().split(/(?<=.)[+-](?=.)/);
  const base = parts.pop() ?? "";
  const found = new Set<string>();
  for (const part of parts) {
    const modifier = MODIFIERS[part.toLowerCase()];
    if (modifier === undefined) return undefined;
    found.add(modifier);
  }
  if (base === "") return undefined;
  const isCapital = base.length === 1 && base !== base.toLowerCase();
  if (isCapital && !found.has("ctrl")) found.add("shift");
  const lower = base.length === 1 ? base.toLowerCase() : (ALIASES[base.toLowerCase()] ?? base.toLowerCase());
  return nameOf(key(lower, { ctrl: found.has("ctrl"), alt: found.has("alt"), shift: found.has("shift") }));
}

/** The key for a typed character. */
export function characterKey(text: string, alt = false): Key {
  const lower = text.toLowerCase();
  const isCapital = lower !== text && [...lower].length === 1;
  return key(text === " " ? "space" : isCapital ? lower : text, { alt, shift: isCapital, text: alt ? "" : text });
}
