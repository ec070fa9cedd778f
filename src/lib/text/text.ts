/** Text from outside: made safe for one line, for a terminal, for a title. */
import { stripVTControlCharacters } from "node:util";
import { CONTROL } from "../../core/visible-text.ts";

const CONTROLS = new RegExp(CONTROL, "g");

/** Control characters gone, line breaks and tabs kept. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, "");
}

/**
 * JSON text that every program reads. Half a surrogate pair, as a text has it that was cut inside a character, is written as an
 * escape that JavaScript takes back and others (jq, Rust's and PostgreSQL's readers) refuse together with everything around it.
 */
export function wellFormedJson(json: string): string {
  if (!json.includes("\\ud")) return json;
  // Escapes are taken one by one, so that a backslash that is itself escaped begins none.
  return json.replace(/\\(?:ud[89ab]..\\ud[c-f]..|ud[89a-f]..|[^])/gi, (escape) =>
    escape.length === LONE_ESCAPE ? "\ufffd" : escape,
  );
}

const LONE_ESCAPE = "\\udxxx".length;

/** The same that moves no cursor when it is printed: JSON itself escapes only C0. */
export function printableJson(json: string): string {
  return wellFormedJson(json).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** One line: control characters gone, white space folded. */
export function oneLine(text: string): string {
  if (isOneLine(text)) return text;
  return withoutControls(text.replace(/\s+/g, " ")).trim();
}

/** Printable ASCII (or an ellipsis) with single blanks between words, as most lines are. */
function isOneLine(text: string): boolean {
  return !/[^ -~…]/.test(text) && !text.includes("  ") && !text.startsWith(" ") && !text.endsWith(" ");
}

/** At most `max` UTF-16 units with an ellipsis; never ends inside a surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  let cut = text.slice(0, max - 1);
  if (/[\ud800-\udbff]$/.test(cut)) cut = cut.slice(0, -1);
  return `${cut.trimEnd()}…`;
}

const TITLE_LENGTH = 100;

export function titleFrom(text: string | undefined): string {
  if (text === undefined) return "";
  // A pasted log can be megabytes; the title needs its beginning only.
  return truncate(oneLine(stripVTControlCharacters(beginning(text, 4 * TITLE_LENGTH))), TITLE_LENGTH);
}

/** The first `length` UTF-16 units in a string of their own: a plain slice keeps all it was cut from in memory. */
export function beginning(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length), "utf16le").toString("utf16le");
}
