/**
 * Compares `amux sessions list` with `ccusage session`, and a start with an empty Node, alternately, as medians of CPU time. Needs
 * a build and ccusage@20.0.20.
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
const amux = join(root, "dist/amux.cjs");
const list = [process.execPath, amux, "sessions", "list", "--limit", "1000000", "--json"];
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
    usual: [process.execPath, amux, "sessions", "list"],
    ls: [process.execPath, amux, "ls"],
    version: [process.execPath, amux, "--version"],
    empty: [process.execPath, "-e", "0"],
  });
  add("list, titles and dates, cold: CPU ms", cold.heads.cpu, cold.peer.cpu, undefined);
  add("list, counts and cost, cold: CPU ms", cold.exact.cpu, cold.peer.cpu, undefined);
  add("start: --version, against node: CPU ms", warm.version.cpu, warm.empty.cpu, 2);
  add("start: ls, against node: CPU ms", warm.ls.cpu, warm.empty.cpu, 2);
  add("list, as it is usually asked for, against node: wall ms", warm.usual.wall, warm.empty.wall, 8);
  add("list, titles and dates, against node: wall ms", warm.heads.wall, warm.empty.wall, 10);
  add("list, counts and cost, against node: wall ms", warm.exact.wall, warm.empty.wall, 10);
  add("list, counts and cost, cold: memory MB", cold.exact.rss, 200, 1);
}
print(rows, options.json);
