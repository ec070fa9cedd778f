/** Shared by the history benchmarks: corpora that are generated once, and the table of figures, ratios and bars. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const COMMON_OPTIONS = {
  /** Megabytes. */
  sizes: { type: "string", default: "100,1000" },
  runs: { type: "string", default: "5" },
  corpora: { type: "string", default: join(tmpdir(), "amux-bench-corpora") },
  /** Rows instead of a table. */
  json: { type: "boolean", default: false },
};

/** A home with sessions of this total size, and its manifest. */
export function corpusOf(megabytes, corpora) {
  const home = join(corpora, `${megabytes}mb`);
  const manifest = join(home, "manifest.json");
  if (!existsSync(manifest)) {
    mkdirSync(home, { recursive: true });
    console.error(`generating ${megabytes} MB …`);
    const args = ["--out", home, "--sessions", String(5 * megabytes), "--bytes", String(megabytes * 1e6)];
    const generator = join(import.meta.dirname, "gen-corpus.mjs");
    const { status } = spawnSync(process.execPath, [generator, ...args], { stdio: "inherit" });
    if (status !== 0) process.exit(status ?? 1);
  }
  return { home, ...JSON.parse(readFileSync(manifest, "utf8")) };
}

/** Bars apply to a corpus of this size: in a smaller one a program's start dominates. */
const BAR_MEGABYTES = 1000;

/** Rows of `{ size, what, figure, against, bar }`; a row without a bar is for comparison. */
export function print(rows, asJson) {
  if (asJson) return process.stdout.write(JSON.stringify(rows));
  const cells = rows.map(({ size, what, figure, against, bar: set }) => {
    const ratio = figure / against;
    const bar = Number.parseInt(size, 10) < BAR_MEGABYTES ? undefined : set;
    const verdict = bar === undefined ? "" : ratio <= bar ? "ok" : "over";
    return [
      size,
      what,
      number(figure),
      number(against),
      ratio.toFixed(3),
      bar === undefined ? "" : `≤ ${bar}`,
      verdict,
    ];
  });
  const table = [["corpus", "what", "amux", "against", "ratio", "bar", ""], ...cells];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table) {
    console.log(
      row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join("  "),
    );
  }
  growth(rows);
}

/** How each figure grows from the smallest corpus to the largest, extrapolated to ten times the size. */
function growth(rows) {
  const sizes = [...new Set(rows.map(({ size }) => size))];
  if (sizes.length < 2) return;
  const [small, large] = [sizes[0], sizes.at(-1)];
  const factor = Number.parseInt(large, 10) / Number.parseInt(small, 10);
  console.log(`\ngrowth from ${small} to ${large} (× ${factor}), and so for × 10 more:`);
  for (const { what, figure } of rows.filter(({ size }) => size === small)) {
    const later = rows.find((row) => row.size === large && row.what === what)?.figure;
    if (later === undefined || figure === 0) continue;
    const power = Math.log(later / figure) / Math.log(factor);
    console.log(`  ${what}: × ${(later / figure).toFixed(2)}, ${number(later * 10 ** Math.max(0, power))}`);
  }
}

function number(value) {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(2);
}
