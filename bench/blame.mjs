/**
 * Judges `amux blame` on a repository with known authorship: `npm run bench -- blame`. Needs a build. A wrong "proved" fails.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "../scripts/remove-tree.mjs";
import { judge, makeDay } from "./blame-day.mjs";

const AMUX = join(import.meta.dirname, "../dist/amux.cjs");
const directory = realpathSync(mkdtempSync(join(tmpdir(), "amux-bench-blame-")));
try {
  const day = makeDay(directory);
  const sum = judge(day, (path) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [AMUX, "blame", path, "--json"], {
      cwd: day.repo,
      env: { PATH: process.env.PATH, HOME: day.home },
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout).ranges;
  });
  const share = (count, of) => `${((100 * count) / of).toFixed(1)} %`;
  console.log(`lines at the end                    ${sum.lines}`);
  console.log(`  by sessions                       ${sum.bySessions}`);
  console.log(`    found, proved                   ${sum.proved} (${share(sum.proved, sum.bySessions)})`);
  console.log(`    found, near                     ${sum.near} (${share(sum.near, sum.bySessions)})`);
  console.log(`    not found                       ${sum.none} (${share(sum.none, sum.bySessions)})`);
  console.log(`  by a person                       ${sum.lines - sum.bySessions}`);
  console.log(`wrong "proved" (must be 0)          ${sum.wrongProved.length}`);
  console.log(
    `wrong "near"                        ${sum.wrongNear.length} (${share(sum.wrongNear.length, sum.lines)})`,
  );
  for (const line of sum.wrongProved) console.log(`  ${line}`);
  if (sum.wrongProved.length > 0) process.exitCode = 1;
} finally {
  await removeTree(directory);
}
