/** Keys for a dialog in which the first of several choices allows it once and is selected, and Escape refuses. */
import type { AnswerKeys } from "../status-hooks.ts";

export const FIRST_CHOICE_KEYS: AnswerKeys = { allow: "\r", deny: "\u001b" };
