/**
 * `npm run torture -- --planted`: checks that the chaos test detects faults. Each is put into a copy of the sources; one of a few
 * seeds must then fail and say why.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, say } from "./setup.mjs";

const SEEDS = [1, 2, 3];
/** Some need two actions on the same session to show. */
const STEPS = 150;

const FAULTS = JSON.parse(readFileSync(join(root, "test/torture/chaos/planted-faults.json"), "utf8"));
/** Without a fault everything must pass, or the detected one may be another. */
const NONE = { what: "none", changes: [] };

const only = process.argv[2] === "--planted" ? process.argv[3] : process.argv[2];
const results = [];
for (const { what, changes } of [NONE, ...FAULTS].filter(({ what }) => only === undefined || what.includes(only))) {
  const copy = copyOfSources();
  try {
    for (const { file, from, to } of changes) plant(join(copy, file), from, to);
    const found = firstToSee(copy);
    results.push({ fault: what, ...found });
    say(`${what}: ${found.seen}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
console.table(results);
if (results.some(({ fault, seed }) => (seed === undefined) !== (fault === NONE.what))) process.exitCode = 1;

function copyOfSources() {
  const copy = mkdtempSync(join(tmpdir(), "amux-planted-"));
  const configs = ["package.json", "tsconfig.json", "tsconfig.types.json", "vitest.config.ts"];
  for (const name of ["src", "test", "scripts", "dist", ...configs]) {
    cpSync(join(root, name), join(copy, name), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

function plant(path, from, to) {
  const text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${path} does not have this once: ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}

/** The seed that detects the fault, and its message. */
function firstToSee(copy) {
  for (const seed of SEEDS) {
    const { status, stdout, stderr } = spawnSync(
      join(root, "node_modules/.bin/vitest"),
      ["run", "--project", "program", "test/torture/chaos.test.ts"],
      {
        cwd: copy,
        encoding: "utf8",
        env: { ...process.env, AMUX_TORTURE_SEED: String(seed), AMUX_TORTURE_STEPS: String(STEPS), NO_COLOR: "1" },
      },
    );
    if (status === 0) continue;
    const said = /Seed \d+, step \d+, .*|AssertionError: .*|Error: .*/.exec(stdout + stderr)?.[0] ?? "it failed";
    const cause = /Caused by: Error: (.*)/.exec(stdout + stderr)?.[1] ?? "";
    return { seed, seen: `${said}: ${cause}`.slice(0, 160) };
  }
  return { seed: undefined, seen: "NOT SEEN" };
}
