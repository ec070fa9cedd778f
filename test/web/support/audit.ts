/** What a reader of web accessibility rules finds wrong with the page as it is now. */
import axe from "axe-core";
import type { Page } from "playwright-core";

/** The terminal's own cells and its hidden text field are the emulator's, and are looked at by programs, not by readers. */
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
