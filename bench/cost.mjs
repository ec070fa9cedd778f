/**
 * Compares `amux cost report` with `ccusage daily`, and its totals with the manifest and slow-count.mjs; a difference exits with
 * 1. Needs a build and ccusage@20.0.20.
 *   node bench/cost.mjs [--sizes 100,1000] [--runs 5] [--ccusage NODE_MODULES] [--corpora DIR] [--json]
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, rmSync, truncateSync, utimesSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { COMMON_OPTIONS, corpusOf, print } from "./bench-table.mjs";
import { findCcusage, measureAlternately } from "./measure.mjs";
import { slowCount } from "./slow-count.mjs";

const { values: options } = parseArgs({ options: { ...COMMON_OPTIONS, ccusage: { type: "string" } } });
const root = join(import.meta.dirname, "..");
const ccusage = findCcusage(options.ccusage, root);
const report = [process.execPath, join(root, "dist/amux.cjs"), "cost", "report", "--json"];
const runs = Number(options.runs);
const rows = [];
/** In the order of the slow count. */
const EXPLAINED = [
  "inputTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "outputTokens",
  "thinkingTokens",
];

for (const megabytes of options.sizes.split(",").map(Number)) {
  const corpus = corpusOf(megabytes, options.corpora);
  const { home } = corpus;
  const env = { PATH: process.env.PATH, HOME: home };
  const add = (what, figure, against, bar) => rows.push({ size: `${megabytes} MB`, what, figure, against, bar });
  rmSync(join(home, ".agent-mux"), { recursive: true, force: true });
  checkTotals(corpus, env);
  const cold = measureAlternately(runs, env, {
    peer: [ccusage, "daily", "--offline"],
    report: [...report, "--no-index"],
  });
  const warm = grown(corpus, (before) => {
    spawnSync(report[0], report.slice(1), { env });
    return measureAlternately(runs, env, { report }, { before }).report;
  });
  const again = measureAlternately(runs, env, { report, empty: [process.execPath, "-e", "0"] });
  add("cost report, cold: CPU ms", cold.report.cpu, cold.peer.cpu, 1);
  add("cost report, cold: wall ms", cold.report.wall, cold.peer.wall, undefined);
  add("cost report, cold: memory MB", cold.report.rss, 200, undefined);
  add("cost report, again, against node: wall ms", again.report.wall, again.empty.wall, 8);
  add("cost report, one file grown, against node: wall ms", warm.wall, again.empty.wall, 10);
}
print(rows, options.json);

function checkTotals({ home, tokens, requests }, env) {
  const { stdout } = spawnSync(report[0], [...report.slice(1), "--no-index"], {
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const answer = JSON.parse(stdout);
  const ours = {
    input: answer.inputTokens,
    cached: answer.cachedTokens,
    cacheWrite: answer.cacheWriteTokens,
    cacheWrite1h: answer.cacheWrite1hTokens,
    output: answer.outputTokens,
    thinking: answer.thinkingTokens,
    requests: Object.values(answer.kinds).reduce((sum, kind) => sum + kind.requests, 0),
  };
  const counted = slowCount(home);
  for (const [what, value] of Object.entries({ ...tokens, requests })) {
    if (ours[what] === value && counted[what] === value) continue;
    console.error(`${what}: amux says ${ours[what]}, the slow count ${counted[what]}, the manifest ${value}`);
    process.exitCode = 1;
  }
  checkExplained(counted.alike, env);
  if (process.exitCode !== 1) console.error(`totals agree, and so do single requests: ${requests}`);
}

/** The requests of `--explain` must be exactly those of the slow count. */
function checkExplained(alike, env) {
  const { stdout } = spawnSync(report[0], [...report.slice(1), "--explain", "--no-index"], {
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  const rest = new Map(alike);
  for (const request of JSON.parse(stdout).requests) {
    const name = `${request.agent} ${EXPLAINED.map((field) => request[field])}`;
    rest.set(name, (rest.get(name) ?? 0) - 1);
  }
  const wrong = [...rest].filter(([, count]) => count !== 0);
  if (wrong.length === 0) return;
  console.error(`--explain and the slow count do not agree, for one on: ${wrong[0]}`);
  process.exitCode = 1;
}

/** Rewrites one session's last lines before each run, and removes them at the end. */
function grown({ home, list }, work) {
  const path = join(home, list.find(({ agent }) => agent === "claude").file);
  const { size, atime, mtime } = statSync(path);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n").slice(-3);
  let second = Math.ceil(mtime.getTime() / 1000);
  try {
    return work(() => {
      appendFileSync(path, `${lines.join("\n")}\n`);
      // Old enough not to count as a file being written.
      utimesSync(path, ++second, second);
    });
  } finally {
    truncateSync(path, size);
    utimesSync(path, atime, mtime);
  }
}
