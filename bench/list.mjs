/**
 * Compares `amux sessions list` with `ccusage session`, alternately, as medians of CPU time. Needs a build and ccusage@20.0.20.
 *   node bench/list.mjs [--sizes 100,1000] [--runs 5] [--ccusage NODE_MODULES] [--corpora DIR] [--json]
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { COMMON_OPTIONS, corpusOf, print } from "./bench-table.mjs";
import { findCcusage, measureAlternately } from "./measure.mjs";

const { values: options } = parseArgs({ options: { ...COMMON_OPTIONS, ccusage: { type: "string" } } });
const root = join(import.meta.dirname, "..");
const ccusage = findCcusage(options.ccusage, root);
const list = [process.execPath, join(root, "dist/amux.cjs"), "sessions", "list", "--limit", "1000000", "--json"];
const runs = Number(options.runs);
const rows = [];

for (const megabytes of options.sizes.split(",").map(Number)) {
  const { home } = corpusOf(megabytes, options.corpora);
  const env = { PATH: process.env.PATH, HOME: home };
  const add = (what, figure, against, bar) => rows.push({ size: `${megabytes} MB`, what, figure, against, bar });
  rmSync(join(home, ".agent-mux"), { recursive: true, force: true });
  const cold = measureAlternately(runs, env, {
    peer: [ccusage, "session", "--offline"],
    heads: [...list, "--no-counts", "--no-index"],
    exact: [...list, "--counts", "--no-index"],
  });
  // The first run fills the cache; the median is of the later ones.
  const warm = measureAlternately(Math.max(3, runs), env, {
    heads: [...list, "--no-counts"],
    exact: [...list, "--counts"],
  });
  add("list, titles and dates, cold: CPU ms", cold.heads.cpu, cold.peer.cpu, 0.08);
  add("list, counts and cost, cold: CPU ms", cold.exact.cpu, cold.peer.cpu, 0.35);
  add("list, titles and dates, warm: CPU ms", warm.heads.cpu, cold.peer.cpu, 0.05);
  add("list, counts and cost, warm: CPU ms", warm.exact.cpu, cold.peer.cpu, 0.05);
  add("list, counts and cost, cold: memory MB", cold.exact.rss, 200, 1);
}
print(rows, options.json);
