/** Measures CPU, wall time and memory of programs alternately. */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** The shell reports the CPU time of its child and grandchildren; Node does not. */
const TIMED = 'TIMEFORMAT="%U %S %R"; time "$@" >/dev/null 2>/dev/null';
const PEAK = join(import.meta.dirname, "peak.cjs");

/** Medians by name, plus our own program's memory from an extra run. `before` runs before each and is not measured. */
export function measureAlternately(runs, env, commands, { before = () => {} } = {}) {
  const named = Object.entries(commands);
  const taken = Object.fromEntries(named.map(([name]) => [name, []]));
  const peaks = Object.fromEntries(named.map(([name]) => [name, 0]));
  for (const [name, command] of named.filter(([, words]) => isOurs(words))) {
    before();
    peaks[name] = peakOf(command, env);
  }
  for (let run = 0; run < runs; run++) {
    for (const [name, command] of named) {
      before();
      taken[name].push(timed(command, env));
    }
  }
  return Object.fromEntries(named.map(([name]) => [name, { ...medians(taken[name]), rss: peaks[name] }]));
}

function isOurs([program, script]) {
  return program === process.execPath && script.endsWith("amux.cjs");
}

function timed(command, env) {
  const { stderr } = finished("bash", ["-c", TIMED, "time", ...command], env);
  const [user, system, wall] = stderr.trim().split(/\s+/).map(Number);
  return { cpu: 1000 * (user + system), wall: 1000 * wall };
}

function peakOf([program, ...args], env) {
  return Number(finished(program, ["--require", PEAK, ...args], env).output[3]);
}

function finished(program, args, env) {
  // This machine's extra certificates would dominate every start of Node.
  const { NODE_EXTRA_CA_CERTS: _, ...clean } = env;
  const done = spawnSync(program, args, { env: clean, encoding: "utf8", stdio: ["ignore", "ignore", "pipe", "pipe"] });
  if (done.status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${done.status}: ${done.stderr}`);
  return done;
}

const WORK = join(import.meta.dirname, "work.cjs");

/** A Node program's work: files opened, bytes read, paths checked, directories listed, JSON parsed. */
export function countWork(command, env) {
  // On one core it starts no threads, whose work would not be counted.
  const alone = findOnPath("taskset") === undefined ? [] : ["taskset", "--cpu-list", "0"];
  const [program, ...args] = [...alone, command[0], "--require", WORK, ...command.slice(1)];
  return JSON.parse(finished(program, args, env).output[3]);
}

function medians(figures) {
  const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
  return {
    cpu: median(figures.map(({ cpu }) => cpu)),
    wall: median(figures.map(({ wall }) => wall)),
  };
}

export function findRipgrep(given, root) {
  if (given !== undefined) return given;
  const modules = join(root, "node_modules/@vscode");
  const packages = existsSync(modules) ? readdirSync(modules).filter((name) => name.startsWith("ripgrep")) : [];
  const found = [...packages.map((name) => join(modules, name, "bin/rg")).filter(existsSync), findOnPath("rg")].find(
    Boolean,
  );
  if (found !== undefined) return found;
  console.error("ripgrep is missing: npm install --no-save @vscode/ripgrep, or --rg PATH");
  process.exit(2);
}

/** The native program: the package's starter is a Node process that adds to every figure. */
export function findCcusage(given, root) {
  const modules = join(given ?? join(root, "node_modules"), "@ccusage");
  const packages = existsSync(modules) ? readdirSync(modules) : [];
  const found = packages.map((name) => join(modules, name, "bin/ccusage")).find(existsSync);
  if (found === undefined) {
    console.error("ccusage is missing: npm install --no-save ccusage@20.0.20, or --ccusage NODE_MODULES");
    process.exit(2);
  }
  // Some releases lack the execute permission.
  const copy = join(mkdtempSync(join(tmpdir(), "amux-bench-")), "ccusage");
  copyFileSync(found, copy);
  chmodSync(copy, 0o755);
  return copy;
}

function findOnPath(name) {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((path) => existsSync(path));
}

const EVICT = `
import os, sys
for root in sys.argv[1:]:
    for directory, _, files in os.walk(root):
        for name in files:
            fd = os.open(os.path.join(directory, name), os.O_RDONLY)
            os.fdatasync(fd)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)
`;

/** Only these files: other programs use the machine. False if it is not possible. */
export function dropFromCache(directories) {
  return spawnSync("python3", ["-c", EVICT, ...directories]).status === 0;
}
