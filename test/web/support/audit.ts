/** Accessibility rules that the page breaks in its current state. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const require = createRequire(import.meta.url);
/** Half as much for the browser to read as the module. */
const AXE = require.resolve("axe-core/axe.min.js");

const ALL = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];
/** Rules that a colour scheme can break. */
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/**
 * The terminal's cells and hidden text field belong to the emulator. The page has no audio and no foreign styles to load first,
 * and a selector for every element takes a sixth of the time.
 */
const run = (rules: unknown): string => `axe.run(
  { exclude: [[".xterm"]] },
  { runOnly: ${JSON.stringify(rules)}, resultTypes: ["violations"], preload: false, selectors: false },
).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => id + ": " + html + " " + (any[0]?.message ?? ""))),
)`;

export async function audit(page: Page, rules: unknown = ALL): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(readFileSync(AXE, "utf8"));
  return page.evaluate<string[]>(run(rules));
}

/** The whole page in the light, and its colours in the dark. */
export async function auditBoth(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await audit(page, COLOURS);
  await page.emulateMedia({ colorScheme: "light" });
  return [...(await audit(page)), ...dark.map((offence) => `in the dark: ${offence}`)];
}
