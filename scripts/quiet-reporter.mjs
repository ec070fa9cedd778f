/**
 * Test output: progress on a terminal, each failure at once, and at the end every failure with the command to repeat it, the
 * skipped tests and the count.
 */
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { spentTime } from "./spent-time.mjs";

const PROGRESS_EVERY_MS = 200;
const FRAMES = 4;
const LOG_LINES = 20;

export class QuietReporter {
  #out;
  #slowest;
  #after;
  #startedMs = performance.now();
  #vitest;
  #passed = 0;
  #failures = [];
  #skipped = new Map();
  #ms = 0;
  #timings = [];
  #logs = new Map();
  #shownMs = 0;
  /** True when the summary has been printed. */
  isDone = false;

  constructor(out, { slowest = 0, after } = {}) {
    this.#out = out;
    this.#after = after;
    this.#slowest = slowest;
  }

  get failures() {
    return this.#failures;
  }

  get counts() {
    const skipped = [...this.#skipped.values()].reduce((sum, count) => sum + count, 0);
    return { passed: this.#passed, failed: this.#failures.length, skipped, ms: this.#ms };
  }

  onInit(vitest) {
    this.#vitest = vitest;
  }

  onUserConsoleLog({ taskId, content }) {
    const lines = [...(this.#logs.get(taskId) ?? []), ...content.trimEnd().split("\n")];
    this.#logs.set(taskId, lines.slice(-LOG_LINES));
  }

  onTestCaseResult(test) {
    const { state, errors, note } = test.result();
    const { duration = 0 } = test.diagnostic() ?? {};
    const file = this.#nameOf(test.module);
    this.#timings.push({ file, name: test.fullName, ms: duration });
    if (state === "failed") this.#fail({ file, name: test.fullName, errors, log: this.#logs.get(test.id) });
    else if (state === "skipped") this.#skip(note ?? reasonOf(test));
    else this.#passed++;
    this.#logs.delete(test.id);
    this.#progress(file);
  }

  onTestSuiteResult(suite) {
    this.#failWhole(suite, suite.fullName);
  }

  onTestModuleEnd(module) {
    this.#failWhole(module);
  }

  async onTestRunEnd(modules, unhandled) {
    await this.#after;
    for (const error of unhandled) this.#fail({ file: "outside of all tests", errors: [error] });
    this.#clearProgress();
    if (this.#slowest > 0) this.#printSlowest(modules);
    for (const [index, failure] of this.#failures.entries()) this.#printFailure(index + 1, failure);
    for (const [reason, count] of this.#skipped) this.#say(`skipped ${count}: ${reason}`);
    this.#ms = performance.now() - this.#startedMs;
    this.#say(countsLine(this.counts));
    this.isDone = true;
  }

  /** A file that cannot be loaded, or a failed setup. */
  #failWhole(task, name) {
    const errors = task.errors();
    const module = task.type === "module" ? task : task.module;
    if (errors.length > 0) this.#fail({ file: this.#nameOf(module), name, errors, log: this.#logs.get(task.id) });
  }

  #fail(failure) {
    this.#failures.push(failure);
    this.#clearProgress();
    this.#say(`failed: ${titleOf(failure)}`);
  }

  #skip(reason) {
    // With -t all other tests are skipped on purpose.
    if (reason === undefined && this.#vitest.config.testNamePattern) return;
    const told = reason ?? "no reason given";
    this.#skipped.set(told, (this.#skipped.get(told) ?? 0) + 1);
  }

  #printFailure(number, failure) {
    const { file, name, errors, log = [] } = failure;
    this.#say(`\n${number}. ${titleOf(failure)}`);
    for (const error of errors) this.#say(indented(this.#textOf(error)));
    if (log.length > 0) this.#say(indented(`It wrote last:\n${log.join("\n")}`));
    const only = name === undefined ? "" : ` -t ${quoted(patternOf(name))}`;
    if (file.includes(".test.")) this.#say(`  again: npm test -- ${file}${only}`);
  }

  #textOf({ name, message, diff, stacks = [], cause }) {
    const places = stacks.slice(0, FRAMES).map((frame) => `at ${this.#path(frame.file)}:${frame.line}:${frame.column}`);
    const because = cause?.message === undefined ? [] : [`because of ${cause.name ?? "Error"}: ${cause.message}`];
    return [`${name ?? "Error"}: ${message}`, ...because, ...(diff ? [diff] : []), ...places].join("\n");
  }

  #printSlowest(modules) {
    const rows = (title, entries) => {
      this.#say(`\n${title}`);
      const slowest = entries.sort((a, b) => b.ms - a.ms).slice(0, this.#slowest);
      for (const { ms, what } of slowest) this.#say(`  ${(ms / 1000).toFixed(1).padStart(7)} s  ${what}`);
    };
    rows(
      "slowest files",
      modules.map((module) => ({ ms: module.diagnostic().duration, what: this.#nameOf(module) })),
    );
    rows(
      "slowest tests",
      this.#timings.map(({ file, name, ms }) => ({ ms, what: `${file} > ${name}` })),
    );
    this.#say("");
  }

  #progress(file) {
    if (!this.#out.isTTY || performance.now() - this.#shownMs < PROGRESS_EVERY_MS) return;
    this.#shownMs = performance.now();
    const line = `  ${this.#passed} passed, ${this.#failures.length} failed · ${file}`;
    this.#out.write(`\r\x1b[K${line.slice(0, (this.#out.columns ?? 80) - 1)}`);
  }

  #clearProgress() {
    if (this.#out.isTTY) this.#out.write("\r\x1b[K");
  }

  #nameOf(module) {
    return this.#path(module.moduleId);
  }

  #path(file) {
    return relative(this.#vitest.config.root, file);
  }

  #say(text) {
    this.#out.write(`${this.#out.isTTY ? text : stripVTControlCharacters(text)}\n`);
  }
}

export function countsLine({ passed, failed, skipped, ms }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped in ${spentTime(ms)}`;
}

/** Selects a test by its full name, as an argument of `-t`. */
export function patternOf(name) {
  return name.replaceAll(" > ", " ").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** From the test itself or its suite. */
function reasonOf(task) {
  for (let at = task; at !== undefined && at.type !== "module"; at = at.parent) {
    const { skippedFor } = at.meta();
    if (skippedFor !== undefined) return skippedFor;
  }
  return undefined;
}

export function titleOf({ file, name }) {
  return name === undefined ? file : `${file} > ${name}`;
}

function indented(text) {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
