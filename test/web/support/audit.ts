/** Accessibility rules that the page breaks in its current state. */
import axe from "axe-core";
import type { Page } from "playwright-core";

/** The terminal's cells and hidden text field belong to the emulator. */
const RUN = `axe.run(
  { exclude: [[".xterm"]] },
  { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"], resultTypes: ["violations"] },
).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target, any }) => id + ": " + target.join(" ") + " " + (any[0]?.message ?? ""))),
)`;

export async function audit(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  return page.evaluate<string[]>(RUN);
}
