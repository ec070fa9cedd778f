/**
 * Machine-independent work of an answer: files opened, bytes read and lines parsed, relative to the corpus. `node
 * bench/counted-work.mjs [--sizes 100,1000] [--corpora DIR] [--json]`; needs a build.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { COMMON_OPTIONS, corpusOf, print } from "./bench-table.mjs";
import { countWork } from "./measure.mjs";

const { values: options } = parseArgs({ options: COMMON_OPTIONS });
const root = join(import.meta.dirname, "..");
const list = ["sessions", "list", "--limit", "1000000", "--json"];
const report = ["cost", "report", "--json"];
const rows = [];

for (const megabytes of options.sizes.split(",").map(Number)) {
  const { home } = corpusOf(megabytes, options.corpora);
  const there = filesIn(home);
  const add = (what, words) => {
    const { opened, read, parsed } = workOf(home, words);
    const row = (unit, figure, against) =>
      rows.push({ size: `${megabytes} MB`, what: `${what}: ${unit}`, figure, against });
    row("files opened, of all", opened, there.count);
    row("bytes read, of all", read, there.bytes);
    row("lines parsed, for each file", parsed, there.count);
  };
  rmSync(join(home, ".agent-mux"), { recursive: true, force: true });
  add("cost report, cold", [...report, "--no-index"]);
  add("list, titles and dates, cold", [...list, "--no-counts", "--no-index"]);
  add("list, counts and cost, cold", [...list, "--counts", "--no-index"]);
  workOf(home, report);
  add("cost report, nothing changed", report);
}
print(rows, options.json);

function workOf(home, words) {
  const command = [process.execPath, join(root, "dist/amux.cjs"), ...words];
  return countWork(command, { PATH: process.env.PATH, HOME: home });
}

/** Transcripts, without amux's own files. */
function filesIn(home) {
  let count = 0;
  let bytes = 0;
  for (const agent of [".claude", ".codex"]) {
    for (const name of readdirSync(join(home, agent), { recursive: true })) {
      if (!name.endsWith(".jsonl")) continue;
      count++;
      bytes += statSync(join(home, agent, name)).size;
    }
  }
  return { count, bytes };
}
