/**
 * `npm run torture -- --planted`: whether the chaos would see a fault. Each of these is put into a copy of the sources, and
 * 150 steps of the chaos are run on it with a few seeds: one of them must fail, and say why.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, say } from "./setup.mjs";

const SEEDS = [1, 2, 3];
/** Some need two acts on the same session to show. */
const STEPS = 150;

const FAULTS = [
  {
    what: "one byte in some thousand does not reach the record",
    file: "src/runner/screen-record.ts",
    from: "if (!this.file.append(ring.read(from, ring.end - from))) {",
    to: "if (!this.file.append(ring.read(from === 0 ? 0 : Math.min(ring.end, from + 1), ring.end - from))) {",
  },
  {
    what: "after a resize only a hundred lines are recorded",
    file: "src/runner/screen-record.ts",
    from: "if (pours) this.paint(LINES_UNDER_LOAD);",
    to: "if (pours || !this.complete) this.paint(LINES_UNDER_LOAD);",
  },
  {
    what: "what is in the terminal when the program ends is not read",
    file: "src/runner/pty.ts",
    from: "    this.readAll();\n    closeSync(this.slaveFd);\n    this.slaveFd = -1;\n    this.readAll();",
    to: "    closeSync(this.slaveFd);\n    this.slaveFd = -1;",
  },
  {
    what: "a runner tells its viewers first and is killed before it keeps",
    file: "src/runner/terminal.ts",
    from: "    this.isFresh = true;\n",
    to: "    this.isFresh = true;\n    for (const viewer of this.viewers) viewer.notify();\n    const until = performance.now() + 3;\n    while (performance.now() < until);\n",
    also: { file: "src/runner/viewer.ts", from: "    this.source.keep();\n", to: "" },
  },
  {
    what: "a runner never leaves",
    file: "src/runner/runner.ts",
    from: "await this.server.flushed(FLUSH_MS);",
    to: "await new Promise((resolve) => setTimeout(resolve, 3_600_000));",
  },
  {
    what: "what a killed runner leaves is not taken away",
    file: "src/client/live-sockets.ts",
    from: "of idsOf(places, [SOCKET, LOCK])",
    to: "of idsOf(places, [])",
  },
  {
    what: "temporary files stay",
    file: "src/lib/atomic-file.ts",
    from: "renameSync(this.temporary, this.path);",
    to: 'writeSync((this.fd = openSync(this.path, "w", 0o600)), readFileSync(this.temporary));',
    also: { file: "src/lib/atomic-file.ts", from: "import { closeSync,", to: "import { readFileSync, closeSync," },
  },
  {
    what: "a refused launch leaves its directory",
    file: "src/client/shim-client.ts",
    from: "if (!existsSync(files.meta)) rmSync",
    to: "if (existsSync(files.meta)) rmSync",
  },
  {
    what: "a dismissed session's files stay",
    file: "src/daemon/live/runners.ts",
    from: "rmSync(sessionFiles(this.#places, id).directory, { recursive: true, force: true });",
    to: "rmSync(sessionFiles(this.#places, id).meta, { force: true });",
  },
  {
    what: "a session whose runner was killed stays listed as alive",
    file: "src/daemon/live/register.ts",
    from: "if (record.alive) this.#store",
    to: "if (record.alive && isLast && stored.meta.alive === false) this.#store",
  },
  {
    what: "a session is listed twice",
    file: "src/daemon/store/store.ts",
    from: "this.#listJson ??= `[${this.#inOrder()",
    to: "this.#listJson ??= `[${[...this.#inOrder(), ...this.#inOrder().slice(3, 4)]",
  },
  {
    what: "exit codes are forgotten",
    file: "src/runner/session-meta.ts",
    from: "exit_code: exit?.exitCode ?? null,",
    to: "exit_code: null,",
  },
];

const only = process.argv[2] === "--planted" ? process.argv[3] : process.argv[2];
const results = [];
for (const fault of FAULTS.filter(({ what }) => only === undefined || what.includes(only))) {
  const copy = copyOfSources();
  try {
    for (const { file, from, to } of [fault, ...(fault.also ? [fault.also] : [])]) plant(join(copy, file), from, to);
    // What only starts viewers need not be built anew.
    utimesSync(join(copy, "dist/.built"), new Date(), new Date());
    results.push({ fault: fault.what, ...firstToSee(copy) });
    say(`${fault.what}: ${results.at(-1).seen}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
console.table(results);
if (results.some(({ seed }) => seed === undefined)) process.exitCode = 1;

function copyOfSources() {
  const copy = mkdtempSync(join(tmpdir(), "amux-planted-"));
  for (const name of ["src", "test", "scripts", "dist", "package.json", "tsconfig.json", "vitest.config.ts"]) {
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

/** The seed whose schedule shows the fault, and what it says. */
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
