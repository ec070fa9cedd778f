/** The environment of the measurements: a home, a tmux server, parts of amux, and the result table. */
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import * as pty from "@lydell/node-pty";
import { bundleToFile } from "../../scripts/bundle.mjs";
import { root } from "../../scripts/setup.mjs";

const run = promisify(execFile);
const AMUX = join(root, "dist/amux.cjs");
const MEGABYTE = 1024 * 1024;

export const SIZE = { cols: 80, rows: 24 };

export class Stage {
  #rows = [];
  #terminals = new Set();
  #processes = new Set();

  static async open() {
    execFileSync(process.execPath, [join(root, "scripts/build.mjs")], { stdio: ["ignore", "ignore", "inherit"] });
    const stage = new Stage();
    stage.directory = mkdtempSync("/tmp/amux-bench-");
    stage.home = join(stage.directory, "home");
    // An extra certificate file alone triples Node's start-up time.
    const { PATH } = process.env;
    stage.env = {
      PATH,
      HOME: stage.directory,
      AMUX_HOME: stage.home,
      SHELL: "/bin/sh",
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
    };
    writeFileSync(
      join(stage.directory, "tmux.conf"),
      "set -g history-limit 10000\nset -g default-terminal xterm-256color\nset -g status off\nset -sg escape-time 0\n",
    );
    stage.parts = await loadParts();
    const give = (code) => {
      stage.abandon();
      process.exit(code);
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
      process.once(signal, () => give(128 + constants.signals[signal]));
    process.once("uncaughtException", (error) => {
      console.error(error);
      give(1);
    });
    return stage;
  }

  /** Starts a session of amux; returns its id, socket and process. */
  async amuxSession(script) {
    const { stdout } = await this.amux("run", "-d", "--", "sh", "-c", script);
    const id = stdout.trim();
    const meta = JSON.parse(readFileSync(join(this.home, "sessions", id, "meta.json"), "utf8"));
    return { id, socket: meta.socket_path, pid: meta.runner_pid };
  }

  amux(...args) {
    return run(process.execPath, [AMUX, ...args], { env: this.env, cwd: this.directory, maxBuffer: 64 * MEGABYTE });
  }

  async endAmux() {
    const { stdout } = await this.amux("ls", "--json");
    for (const { id } of JSON.parse(stdout)) await this.amux("dismiss", id);
  }

  /** Starts a session in its own tmux server; returns the server's process. */
  async tmuxServer(script) {
    await this.tmux("new-session", "-d", "-x", String(SIZE.cols), "-y", String(SIZE.rows), script);
    const { stdout } = await this.tmux("display", "-p", "#{pid}");
    return { pid: Number(stdout) };
  }

  tmux(...args) {
    return run("tmux", [...this.tmuxArguments, ...args], { env: this.env });
  }

  get tmuxArguments() {
    return ["-S", join(this.directory, "tmux.sock"), "-f", join(this.directory, "tmux.conf")];
  }

  async endTmux() {
    await this.tmux("kill-server").catch(() => undefined);
  }

  /** A program in a terminal of the benchmark, like a user's. */
  terminal(command, args) {
    const terminal = pty.spawn(command, args, { ...SIZE, env: this.env, cwd: this.directory, encoding: null });
    this.#terminals.add(terminal);
    terminal.onExit(() => this.#terminals.delete(terminal));
    return terminal;
  }

  attachAmux(id) {
    return this.terminal(process.execPath, [AMUX, "attach", id]);
  }

  attachTmux() {
    return this.terminal("tmux", [...this.tmuxArguments, "attach"]);
  }

  /** `bar` is the maximum of the ratio (`value / peer` by default), or of `value` without a peer. */
  row({ what, value, peer, ratio = value / peer, unit, bar, note = "" }) {
    const measure = peer === undefined ? value : ratio;
    this.#rows.push({ what, value, peer, unit, bar, measure, note });
    process.stderr.write(
      `  ${what}: ${figure(value)} ${unit}${peer === undefined ? "" : ` against ${figure(peer)}`}\n`,
    );
  }

  /** Prints everything; true if every bar was met. */
  table() {
    console.log(
      `${"".padEnd(52)} ${"amux".padStart(9)} ${"peer".padStart(9)}      ${"ratio".padStart(6)} ${"bar".padStart(6)}`,
    );
    for (const { what, value, peer, unit, bar, measure, note } of this.#rows) {
      const ratio = peer === undefined ? "" : measure.toFixed(2);
      const verdict = bar === undefined ? "" : measure <= bar ? "held" : "MISSED";
      console.log(
        `${what.padEnd(52)} ${figure(value).padStart(9)} ${(peer === undefined ? "" : figure(peer)).padStart(9)} ${unit.padEnd(4)} ${ratio.padStart(6)} ${String(bar ?? "").padStart(6)} ${verdict.padEnd(6)} ${note}`.trimEnd(),
      );
    }
    return this.#rows.every(({ measure, bar }) => bar === undefined || measure <= bar);
  }

  /** A program of the benchmark without a terminal. */
  process(command, args) {
    const child = spawn(command, args, { env: this.env, stdio: "ignore" });
    this.#processes.add(child);
    child.once("exit", () => this.#processes.delete(child));
    return child;
  }

  /** Kills everything at once on interrupt; nothing would end a tmux server later. */
  abandon() {
    for (const program of [...this.#terminals, ...this.#processes]) program.kill("SIGKILL");
    spawnSync("tmux", [...this.tmuxArguments, "kill-server"], { env: this.env, stdio: "ignore" });
    for (const pid of this.#runners()) process.kill(pid, "SIGKILL");
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  #runners() {
    const sessions = join(this.home, "sessions");
    const ids = existsSync(sessions) ? readdirSync(sessions) : [];
    return ids
      .map((id) => JSON.parse(readFileSync(join(sessions, id, "meta.json"), "utf8")))
      .filter(({ alive }) => alive)
      .map(({ runner_pid }) => runner_pid);
  }

  async close() {
    for (const program of [...this.#terminals, ...this.#processes]) program.kill("SIGKILL");
    await this.endTmux();
    await this.endAmux();
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** Modules of the sources, which Node cannot load directly. */
async function loadParts() {
  const directory = join(root, "node_modules/.cache/amux");
  mkdirSync(directory, { recursive: true });
  const outfile = join(directory, `bench-parts-${process.pid}.mjs`);
  await bundleToFile(join(root, "bench/runner/parts.ts"), outfile);
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}

/** CPU seconds used so far, by all threads. */
export function cpuOf(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e9;
}

/** Megabytes: proportional and private. */
export function memoryOf(pid) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const field = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)[1]) / 1024;
  return { pss: field("Pss"), private: field("Private_Clean") + field("Private_Dirty") };
}

export function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

export function median(values) {
  return quantile(values, 0.5);
}

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export async function until(look) {
  for (;;) {
    const found = await look();
    if (found) return found;
    await sleep(5);
  }
}

function figure(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
