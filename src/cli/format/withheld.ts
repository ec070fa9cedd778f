/** Sessions that were not sent, and why. */
import { withoutControls } from "../../lib/text/text.ts";

export function withheldLines(withheld: readonly { unifiedId: string; reason: string }[], what = "withheld"): string[] {
  if (withheld.length === 0) return [];
  const sessions = withheld.length === 1 ? "1 session was" : `${withheld.length} sessions were`;
  return [
    `${sessions} ${what}:`,
    ...withheld.map(({ unifiedId, reason }) => withoutControls(`  ${unifiedId}  ${reason}`)),
  ];
}
