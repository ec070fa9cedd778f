/** Text from outside, made safe to look at: on a terminal, in an error, in the page. Whoever wants it exact takes the JSON. */

// C0 without tab and newline, DEL, C1, and the bidirectional controls that can reorder what is shown.
export const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
/** A carriage return before a newline is a line break, too. */
const SHOWN = new RegExp(`(?!\\r\\n)${CONTROL.source}`, "g");

/** Control characters as escapes one can read, line breaks and tabs kept. */
export function visibleControls(text: string): string {
  if (!CONTROL.test(text)) return text;
  return text.replace(SHOWN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
