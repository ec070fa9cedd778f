/** Asks before something is done. Names and commands come from outside: what would reorder them is shown as an escape. */
import { visibleControls } from "../../core/visible-text.ts";

export function isConfirmed(question: string): boolean {
  return confirm(visibleControls(question));
}
