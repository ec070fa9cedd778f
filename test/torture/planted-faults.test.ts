/** `npm run torture -- --planted` runs rarely; this checks that its faults still apply to the code. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import faults from "./chaos/planted-faults.json" with { type: "json" };

test.each(faults)("$what: it can be planted", ({ changes }) => {
  for (const { file, from, to } of changes) {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    expect(source.split(from), file).toHaveLength(2);
    expect(to).not.toBe(from);
  }
});
