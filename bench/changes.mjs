/**
 * Compares `amux changes` with `git diff --stat`, alternately, in a repository of 5,000 files of which a session changed 200 (10,000
 * lines). The bar: 400 ms of wall time more than git. Needs a build.
 *   node bench/changes.mjs [--runs 5] [--json]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { print } from "./bench-table.mjs";
import { measureAlternately } from "./measure.mjs";

const FILES = 5000;
const CHANGED = 200;
const LINES = 100;
const CHANGED_LINES = 25;
const MORE_MS = 400;
const SESSION = "00000000-0000-4000-8000-000000000001";

const { values: options } = parseArgs({
  options: { runs: { type: "string", default: "5" }, json: { type: "boolean", default: false } },
});
const AMUX = join(import.meta.dirname, "../dist/amux.cjs");
const home = mkdtempSync(join(tmpdir(), "amux-bench-changes-"));
const repository = join(home, "shop");
const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" };

try {
  makeRepository();
  const changes = [process.execPath, AMUX, "changes", `claude:${SESSION}`];
  const taken = measureAlternately(Number(options.runs), env, {
    git: ["git", "-C", repository, "diff", "--stat", "HEAD"],
    start: [process.execPath, AMUX, "sessions", "list", "--limit", "1"],
    stat: [...changes, "--stat"],
    whole: changes,
  });
  const row = (what, figure, bar) => ({ size: `${FILES} files`, what, figure, against: MORE_MS, bar });
  print(
    [
      row("changes, summary: ms more than git", taken.stat.wall - taken.git.wall, 1),
      row("changes, 10,000 lines with origin: ms more than git", taken.whole.wall - taken.git.wall),
      row("for comparison, a list of one session: ms", taken.start.wall),
      { size: `${FILES} files`, what: "changes: memory MB", figure: taken.whole.rss, against: 200, bar: 1 },
    ],
    options.json,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}

function lineOf(file, line) {
  return `export const value${line} = compute(${file}, ${line * 7}); // line ${line} of file ${file}`;
}

function changedLine(file, line) {
  return `export const renamed${line} = computeAgain(${file}, ${line * 11}); // changed in file ${file}`;
}

function pathOf(file) {
  return `src/part${file % 50}/file${file}.ts`;
}

function makeRepository() {
  for (let part = 0; part < 50; part++) mkdirSync(join(repository, `src/part${part}`), { recursive: true });
  for (let file = 0; file < FILES; file++) {
    const lines = Array.from({ length: LINES }, (_, line) => lineOf(file, line));
    writeFileSync(join(repository, pathOf(file)), `${lines.join("\n")}\n`);
  }
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: repository, env });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "first");
  const records = [];
  for (let at = 0; at < CHANGED; at++) {
    const file = at * (FILES / CHANGED);
    const lines = Array.from({ length: LINES }, (_, line) => lineOf(file, line));
    const before = lines.slice(10, 10 + CHANGED_LINES);
    const after = before.map((_, line) => changedLine(file, line));
    writeFileSync(join(repository, pathOf(file)), `${lines.toSpliced(10, CHANGED_LINES, ...after).join("\n")}\n`);
    records.push(...editRecords(at, pathOf(file), before.join("\n"), after.join("\n")));
  }
  const folder = join(home, ".claude/projects/-shop");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${SESSION}.jsonl`), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

/** A call and its result, as Claude Code writes them. */
function editRecords(at, path, before, after) {
  const facts = { cwd: repository, sessionId: SESSION, version: "2.1.0", isSidechain: false, timestamp: new Date() };
  const input = { file_path: join(repository, path), old_string: before, new_string: after };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const content = [{ type: "tool_use", id: `call${at}`, name: "Edit", input }];
  const done = [{ type: "tool_result", tool_use_id: `call${at}`, content: "The file was updated." }];
  return [
    ...(at === 0 ? [{ ...facts, type: "user", uuid: "u", message: { role: "user", content: "Change them" } }] : []),
    {
      ...facts,
      type: "assistant",
      uuid: `a${at}`,
      parentUuid: at === 0 ? "u" : `r${at - 1}`,
      requestId: `request${at}`,
      message: { id: `message${at}`, role: "assistant", model: "claude-opus-5-5", content, usage },
    },
    { ...facts, type: "user", uuid: `r${at}`, parentUuid: `a${at}`, message: { role: "user", content: done } },
  ];
}
