/**
 * `npm run torture [-- --seed N] [--only NAME]`: the long form of test/torture with a table of results. The same seed gives the
 * same inputs. `-- --planted` shows which faults it detects.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { build, checkNode, installDependencies, root, say } from "./setup.mjs";

const { values } = parseArgs({
  options: { seed: { type: "string" }, only: { type: "string" }, planted: { type: "boolean" } },
});
checkNode();
await installDependencies();
await build();
if (values.planted) {
  await import("./planted-faults.mjs");
  process.exit();
}

const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31));
const directory = mkdtempSync(join(tmpdir(), "amux-figures-"));
const figures = join(directory, "figures.jsonl");
say(`Torture with seed ${seed} …`);
const vitest = join(root, "node_modules/.bin/vitest");
const only = values.only === undefined ? [] : ["-t", values.only];
// Tests that also have a long form.
const files = [
  "test/torture",
  "test/daemon/interleavings.test.ts",
  "test/daemon/peers-links.test.ts",
  "test/daemon/transitions.test.ts",
  "test/runner/fast-exit.test.ts",
  "test/status/status-writers.test.ts",
  "test/tui/switching.test.ts",
  "test/archive/interrupted-push.test.ts",
  "test/archive/queries.test.ts",
  "test/history/fork-copies.test.ts",
  "test/history/redacted-export.test.ts",
  "test/search/reference-search.test.ts",
  "src/history/cache/session-cache.test.ts",
  "src/history/cached-stores.test.ts",
  "src/screen/screen.test.ts",
  "src/status/queue/prompt-queue.test.ts",
];
const { status } = spawnSync(vitest, ["run", ...files, ...only], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, AMUX_TORTURE: "long", AMUX_TORTURE_SEED: seed, AMUX_TORTURE_FIGURES: figures },
});
if (existsSync(figures)) printFigures(readFileSync(figures, "utf8"));
rmSync(directory, { recursive: true });
say(`Seed ${seed}: ${status === 0 ? "everything held" : "something broke; the same seed shows it again"}.`);
process.exitCode = status ?? 1;

function printFigures(text) {
  const tables = {};
  for (const line of text.trim().split("\n")) {
    const { table, ...row } = JSON.parse(line);
    (tables[table] ??= []).push(row);
  }
  for (const [name, rows] of Object.entries(tables)) {
    console.log(`\n${name}`);
    console.table(rows);
  }
}
