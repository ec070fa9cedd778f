/** Keys by name on a command line, and the bytes a terminal sends for them. */
import { usageError } from "../command.ts";

const ESC = "\x1b";

const NAMED: Readonly<Record<string, string>> = {
  enter: "\r",
  return: "\r",
  tab: "\t",
  "shift-tab": `${ESC}[Z`,
  space: " ",
  esc: ESC,
  escape: ESC,
  backspace: "\x7f",
  delete: `${ESC}[3~`,
  insert: `${ESC}[2~`,
  up: `${ESC}[A`,
  down: `${ESC}[B`,
  right: `${ESC}[C`,
  left: `${ESC}[D`,
  home: `${ESC}[H`,
  end: `${ESC}[F`,
  pageup: `${ESC}[5~`,
  pagedown: `${ESC}[6~`,
  f1: `${ESC}OP`,
  f2: `${ESC}OQ`,
  f3: `${ESC}OR`,
  f4: `${ESC}OS`,
  f5: `${ESC}[15~`,
  f6: `${ESC}[17~`,
  f7: `${ESC}[18~`,
  f8: `${ESC}[19~`,
  f9: `${ESC}[20~`,
  f10: `${ESC}[21~`,
  f11: `${ESC}[23~`,
  f12: `${ESC}[24~`,
};

/** `Enter`, `C-c`, `M-x`, `Up`. An unknown name is refused, not typed. */
export function keyBytes(name: string): string {
  const known = NAMED[name.toLowerCase()];
  if (known !== undefined) return known;
  const [, modifier, key = ""] = /^([CM])-(.+)$/i.exec(name) ?? [];
  if (modifier?.toUpperCase() === "M") return ESC + (key.length === 1 ? key : keyBytes(key));
  if (modifier !== undefined && /^[a-z@[\\\]^_]$/i.test(key))
    return String.fromCharCode(key.toUpperCase().charCodeAt(0) & 0x1f);
  if (modifier !== undefined && key === "?") return "\x7f";
  const names = Object.keys(NAMED).slice(0, 8).join(", ");
  throw usageError(`There is no key "${name}". Keys are C-x, M-x, ${names}, … f12.`);
}
