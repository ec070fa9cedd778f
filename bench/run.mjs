/**
 * All history benchmarks in one table: list, cost, search and counted work. `node bench/run.mjs [--sizes 100,1000] [--runs 5]
 * [--rg PATH] [--ccusage NODE_MODULES] [--corpora DIR]`. `node bench/run.mjs blame` judges blame instead.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { COMMON_OPTIONS, print } from "./bench-table.mjs";

if (process.argv[2] === "blame") {
  await import("./blame.mjs");
  process.exit();
}
const { values: options } = parseArgs({
  options: { ...COMMON_OPTIONS, rg: { type: "string" }, ccusage: { type: "string" } },
});
const shared = ["--json", "--sizes", options.sizes, "--runs", options.runs, "--corpora", options.corpora];
const ofCcusage = options.ccusage === undefined ? [] : ["--ccusage", options.ccusage];
const ofRipgrep = options.rg === undefined ? [] : ["--rg", options.rg];

const rows = [
  ...run("list.mjs", ofCcusage),
  ...run("cost.mjs", ofCcusage),
  ...run("search.mjs", ofRipgrep),
  ...run("counted-work.mjs", []),
];
const sizes = options.sizes.split(",").map((size) => `${size} MB`);
print(
  rows.toSorted((a, b) => sizes.indexOf(a.size) - sizes.indexOf(b.size)),
  options.json,
);

function run(name, more) {
  const args = [join(import.meta.dirname, name), ...shared, ...more];
  const { stdout, status } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) process.exitCode = 1;
  return stdout === "" ? [] : JSON.parse(stdout);
}
