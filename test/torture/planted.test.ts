/** `npm run torture -- --planted` takes long and runs seldom: that its faults still have their places is looked at here. */
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
