/** Makes foreign text safe to display on a terminal, in an error and on the page. JSON output has the exact text. */

// C0 without tab and newline, DEL, C1, and the bidirectional controls that can reorder what is shown.
export const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
/** A carriage return before a newline is a line break, too. */
const SHOWN = new RegExp(`(?!\\r\\n)${CONTROL.source}`, "g");

/** Replaces control characters with readable escapes; keeps line breaks and tabs. */
export function visibleControls(text: string): string {
  if (!CONTROL.test(text)) return text;
  return text.replace(SHOWN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
