/**
 * Compares search with its bars: ripgrep for reading everything, plain JSON.parse for building the index, an empty Node for a
 * query. Needs a build and ripgrep.
 *   node bench/search.mjs [--sizes 100,1000] [--runs 5] [--rg PATH] [--corpora DIR] [--no-cold-cache]
 */
import { spawnSync } from "node:child_process";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { corpusOf, COMMON_OPTIONS, print } from "./bench-table.mjs";
import { countWork, dropFromCache, findRipgrep, measureAlternately } from "./measure.mjs";

const { values: options } = parseArgs({
  options: {
    ...COMMON_OPTIONS,
    rg: { type: "string" },
    "no-cold-cache": { type: "boolean", default: false },
  },
});

const root = join(import.meta.dirname, "..");
const amux = join(root, "dist/amux.cjs");
const node = process.execPath;
const runs = Number(options.runs);
/** More runs for programs that end within 100 ms. */
const shellRuns = 5 * runs;
const rg = findRipgrep(options.rg, root);
/** In five sessions of every corpus. */
const RARE = "velociraptorium";
/** In nearly every session. */
const COMMON = "function";
const COLD = [node, amux, "sessions", "search", RARE, "--no-index", "--json"];

const rows = [];
for (const megabytes of options.sizes.split(",").map(Number)) benchmark(megabytes);
print(rows, options.json);

function benchmark(megabytes) {
  const { home, bytes, files, sessions } = corpusOf(megabytes, options.corpora);
  const amuxHome = join(home, ".agent-mux");
  rmSync(amuxHome, { recursive: true, force: true });
  const env = { PATH: process.env.PATH, HOME: home };
  const add = (what, figure, against, bar) => rows.push({ size: `${megabytes} MB`, what, figure, against, bar });
  console.error(`${megabytes} MB: ${sessions} sessions, ${files} files, ${bytes} bytes`);

  scanning(home, env, add);
  if (!options["no-cold-cache"]) scanningFromDisk(home, env, add);
  counting(env, add, COLD, "no index", { bytes, files });
  building(home, env, add, bytes);
  asking(env, add);
  shell(home, env, add);
  for (const [what, word] of Object.entries({ rare: RARE, common: COMMON }))
    counting(env, add, [node, amux, "sessions", "search", word], `indexed, from the shell, ${what} word`, {
      bytes,
      files,
    });
}

/** Machine-independent: its growth predicts ten times the size. Calls to `statSync` are not counted. */
function counting(env, add, command, what, { bytes, files }) {
  const work = countWork(command, env);
  add(
    `${what}: directories listed and paths looked at by Node, against files`,
    work.listed + work.looked,
    files,
    undefined,
  );
  add(`${what}: files opened, against files`, work.opened, files, undefined);
  add(`${what}: bytes read, against the corpus`, work.read, bytes, undefined);
}

function ripgrep(home, ...flags) {
  return [rg, "--hidden", "--no-ignore", "--count", ...flags, RARE, join(home, ".claude"), join(home, ".codex")];
}

function scanning(home, env, add) {
  const figures = measureAlternately(runs, env, {
    literal: ripgrep(home),
    anyCase: ripgrep(home, "--ignore-case"),
    amux: COLD,
  });
  const { literal, anyCase, amux: ours } = figures;
  add("no index, against rg: CPU ms", ours.cpu, literal.cpu, undefined);
  add("no index, against rg -i: CPU ms", ours.cpu, anyCase.cpu, 3.5);
  add("no index, warm cache: wall ms", ours.wall, literal.wall, undefined);
  add("no index: memory MB", ours.rss, 150, 1);
}

function scanningFromDisk(home, env, add) {
  const before = () => dropFromCache([join(home, ".claude"), join(home, ".codex")]);
  if (!before()) return console.error("The page cache cannot be dropped here (python3 is needed): left out.");
  const { literal, amux: ours } = measureAlternately(runs, env, { literal: ripgrep(home), amux: COLD }, { before });
  add("no index, cold cache: wall ms", ours.wall, literal.wall, undefined);
}

function building(home, env, add, bytes) {
  const index = join(home, ".agent-mux/index.db");
  const parse = [node, join(root, "bench/search-parse.mjs"), home];
  const before = () => rmSync(join(home, ".agent-mux"), { recursive: true, force: true });
  const { parse: plain, build } = measureAlternately(
    runs,
    env,
    { parse, build: [node, amux, "index", "build"] },
    { before },
  );
  add("index build, against JSON.parse: CPU ms", build.cpu, plain.cpu, 5);
  add("index build: memory MB", build.rss, 300, 1);
  add("index: bytes, against 8 % of the corpus", statSync(index).size, 0.08 * bytes, 1);
}

function asking(env, add) {
  const { stdout, status, stderr } = spawnSync(node, [join(root, "bench/search-questions.mjs")], {
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  for (const { what, milliseconds } of JSON.parse(stdout))
    add(`indexed, in process, ${what}: ms`, milliseconds, 1, undefined);
}

function shell(home, env, add) {
  const search = (...words) => [node, amux, "sessions", "search", ...words];
  const commands = {
    empty: [node, "-e", "0"],
    rare: search(RARE),
    common: search(COMMON, "--limit", "10"),
    commonAll: search(COMMON),
    looks: [node, join(root, "bench/search-looks.mjs"), home],
  };
  const { empty, rare, common, commonAll, looks } = measureAlternately(shellRuns, env, commands);
  add("indexed, from the shell, rare word, against node: CPU ms", rare.cpu, empty.cpu, undefined);
  add("indexed, from the shell, 10 hits: CPU ms", common.cpu, empty.cpu, undefined);
  add("indexed, from the shell, 50 hits: CPU ms", commonAll.cpu, empty.cpu, undefined);
  add("looking at sizes and times of all files, and nothing else: CPU ms", looks.cpu, empty.cpu, undefined);
  add("indexed, from the shell, rare word: wall ms", rare.wall, empty.wall, 8);
  add("indexed, from the shell, 10 hits: wall ms", common.wall, empty.wall, 8);
}
