/** CPU, wall time and memory of programs, taken alternately. */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** The shell tells the CPU time of its child and of everything that waited for; Node does not. */
const TIMED = 'TIMEFORMAT="%U %S %R"; time "$@" >/dev/null 2>/dev/null';
const PEAK = join(import.meta.dirname, "peak.cjs");

/** Medians by name, and of our own program its memory, in a run before those that are timed. `before` runs before each and is not measured. */
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
  // Certificates of this machine would cost every start of Node more than the rest of it.
  const { NODE_EXTRA_CA_CERTS: _, ...clean } = env;
  const done = spawnSync(program, args, { env: clean, encoding: "utf8", stdio: ["ignore", "ignore", "pipe", "pipe"] });
  if (done.status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${done.status}: ${done.stderr}`);
  return done;
}

const WORK = join(import.meta.dirname, "work.cjs");

/** What a Node program asks of the file system: files opened, bytes read, paths looked at, directories listed; and how often it parses JSON. */
export function countWork(command, env) {
  // On one core it does all by itself: what threads do is not counted.
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

/** The program itself: the package's own starter is a Node process that adds to every figure. */
export function findCcusage(given, root) {
  const modules = join(given ?? join(root, "node_modules"), "@ccusage");
  const packages = existsSync(modules) ? readdirSync(modules) : [];
  const found = packages.map((name) => join(modules, name, "bin/ccusage")).find(existsSync);
  if (found === undefined) {
    console.error("ccusage is missing: npm install --no-save ccusage@20.0.20, or --ccusage NODE_MODULES");
    process.exit(2);
  }
  // Some releases have it without the right to be run.
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

/** Only these files: others are at work on the machine. False when it cannot be done. */
export function dropFromCache(directories) {
  return spawnSync("python3", ["-c", EVICT, ...directories]).status === 0;
}
