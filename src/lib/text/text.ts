/** Makes foreign text safe for one line, a terminal or a title. */
import { stripVTControlCharacters } from "node:util";
import { CONTROL } from "../../core/visible-text.ts";

const CONTROLS = new RegExp(CONTROL, "g");

/** Removes control characters; keeps line breaks and tabs. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, "");
}

/** Replaces lone surrogates. JavaScript accepts their escapes, but jq, Rust and PostgreSQL reject the whole text. */
export function wellFormedJson(json: string): string {
  if (!json.includes("\\ud")) return json;
  // Matches escapes one by one, so that an escaped backslash starts none.
  return json.replace(/\\(?:ud[89ab]..\\ud[c-f]..|ud[89a-f]..|[^])/gi, (escape) =>
    escape.length === LONE_ESCAPE ? "\ufffd" : escape,
  );
}

const LONE_ESCAPE = "\\udxxx".length;

/** The same, safe to print: JSON itself escapes only C0 controls. */
export function printableJson(json: string): string {
  return wellFormedJson(json).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** One line: no control characters, white space collapsed. */
export function oneLine(text: string): string {
  if (isOneLine(text)) return text;
  return withoutControls(text.replace(/\s+/g, " ")).trim();
}

/** Fast path: printable ASCII (or an ellipsis) with single blanks, as most lines are. */
function isOneLine(text: string): boolean {
  return !/[^ -~…]/.test(text) && !text.includes("  ") && !text.startsWith(" ") && !text.endsWith(" ");
}

/** At most `max` UTF-16 units, with an ellipsis; never splits a surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  let cut = text.slice(0, max - 1);
  if (/[\ud800-\udbff]$/.test(cut)) cut = cut.slice(0, -1);
  return `${cut.trimEnd()}…`;
}

const TITLE_LENGTH = 100;

export function titleFrom(text: string | undefined): string {
  if (text === undefined) return "";
  // A pasted log can be megabytes; the title needs only its beginning.
  return truncate(oneLine(stripVTControlCharacters(beginning(text, 4 * TITLE_LENGTH))), TITLE_LENGTH);
}

/** The first `length` UTF-16 units, copied: a plain slice keeps the whole original in memory. */
export function beginning(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length), "utf16le").toString("utf16le");
}
