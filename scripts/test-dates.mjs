/**
 * `npm run test:dates [-- --date 2027-11-20] [files]`: the unit tests, or these files, as if it were another day; needs
 * `faketime`. No test may rest on the day it runs on.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkNode, installDependencies, root, say } from "./setup.mjs";

const YEAR_MS = 366 * 86_400_000;

const { values, positionals } = parseArgs({ options: { date: { type: "string" } }, allowPositionals: true });
checkNode();
await installDependencies();
const seconds = Math.round(((values.date ? Date.parse(values.date) : Date.now() + YEAR_MS) - Date.now()) / 1000);
if (Number.isNaN(seconds)) {
  say(`--date must be a date such as 2027-11-20, not ${values.date}.`);
  process.exit(1);
}
const vitest = [join(root, "node_modules/.bin/vitest"), "run"];
const files = positionals.length > 0 ? positionals : ["--project", "unit"];
const { status, error } = spawnSync(
  "faketime",
  ["-m", "-f", `${seconds < 0 ? "" : "+"}${seconds}s`, ...vitest, ...files],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      AMUX_DATE_OFFSET_MS: String(seconds * 1000),
      NODE_OPTIONS: `--require ${join(root, "scripts/other-date.cjs")}`,
    },
  },
);
if (error !== undefined) say(`faketime could not be started (${error.message}). Debian: apt-get install faketime`);
process.exitCode = status ?? 1;
