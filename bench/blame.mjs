/**
 * Judges `amux blame` on repositories with known authorship: `npm run bench -- blame`. Needs a build. A wrong "proved" fails.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "../scripts/remove-tree.mjs";
import { makeFirstDay } from "./blame-first-day.mjs";
import { judgeLines, judgeRemoved } from "./blame-repository.mjs";
import { makeSecondDay } from "./blame-second-day.mjs";

const AMUX = join(import.meta.dirname, "../dist/amux.cjs");
const DAYS = [
  ["first day: JavaScript; rebase, squash, formatter", makeFirstDay],
  ["second day: Python, Markdown, CRLF; moves, reverts, merged worktrees, cherry-pick", makeSecondDay],
];

function asker(day) {
  return async (target) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [AMUX, "blame", target, "--json"], {
      cwd: day.repo,
      env: { PATH: process.env.PATH, HOME: day.home },
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout).ranges;
  };
}

function print(title, sum, removed) {
  const share = (count, of) => `${count} (${((100 * count) / of).toFixed(1)} %)`;
  console.log(title);
  console.log(`  lines at the end                  ${sum.lines}`);
  console.log(`    by sessions                     ${sum.bySessions}`);
  console.log(`      found, proved                 ${share(sum.proved, sum.bySessions)}`);
  console.log(`      found, near                   ${share(sum.near, sum.bySessions)}`);
  console.log(`      not found                     ${share(sum.none, sum.bySessions)}`);
  console.log(`  lines that commits took away      ${removed.lines}`);
  console.log(`    by sessions                     ${removed.bySessions}`);
  console.log(`      found, proved                 ${share(removed.proved, removed.bySessions)}`);
  console.log(`  wrong "near"                      ${share(sum.wrongNear.length, sum.lines)}`);
  console.log(`  wrong "proved" (must be 0)        ${sum.wrongProved.length + removed.wrongProved.length}`);
  for (const line of [...sum.wrongProved, ...removed.wrongProved]) console.log(`    ${line}`);
  if (sum.wrongProved.length + removed.wrongProved.length > 0) process.exitCode = 1;
}

const directory = realpathSync(mkdtempSync(join(tmpdir(), "amux-bench-blame-")));
try {
  for (const [title, make] of DAYS) {
    const own = join(directory, make.name);
    mkdirSync(own);
    const day = make(own);
    print(title, await judgeLines(day, asker(day)), await judgeRemoved(day, asker(day)));
  }
} finally {
  await removeTree(directory);
}
