/** An error in a query: one sentence, then the query with a mark under the position. */
import { AgentMuxError } from "../../core/errors.ts";

/** Characters of the query shown on either side of the position. */
const CONTEXT = 60;
export function queryError(sentence: string, query: string, start: number, end = start + 1): AgentMuxError {
  const from = Math.max(0, start - CONTEXT);
  const shown = flat(query.slice(from, Math.max(end, start) + CONTEXT));
  const before = columns(flat(query.slice(from, start)));
  const marks = "^".repeat(Math.max(1, columns(flat(query.slice(start, Math.min(end, query.length))))));
  return new AgentMuxError("VALIDATION_ERROR", `${sentence}\n  ${shown}\n  ${" ".repeat(before)}${marks}`);
}

/** One column per control character, so that the mark stays in place. */
function flat(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, " ");
}

/** Fullwidth and East Asian wide characters take two columns. */
function columns(text: string): number {
  const wide =
    /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
  let width = 0;
  for (const character of text) width += wide.test(character) ? 2 : /\p{M}/u.test(character) ? 0 : 1;
  return width;
}
