/**
 * The same crashes for amux and tmux, and what remains readable, as a table for docs/reliability.md. Tmux gets an equal history
 * and remain-on-exit.
 *   node bench/reliability.mjs [--sessions 10] [--lines 200] [--runs 100]
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, root } from "../scripts/setup.mjs";
import { sleep } from "./real-daemon.mjs";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string", default: "10" },
    lines: { type: "string", default: "200" },
    runs: { type: "string", default: "100" },
  },
});
const [SESSIONS, LINES, RUNS] = [options.sessions, options.lines, options.runs].map(Number);
const BURST_LINES = 400;

const NAMES = Array.from({ length: SESSIONS }, (_, number) => `s${number}`);
const PRINTING = `for i in $(seq ${LINES}); do echo "line-$i of them."; done; exec cat`;
/** About 20 KB, then it ends. */
const BURST = `for i in $(seq ${BURST_LINES}); do echo "line-$i of them, with some more words to it."; done; exit 3`;
const FLOOD = "seq 1 2000000; echo line-1 of them.; exec cat";

await build();
const rows = [];
for (const make of [amux, tmux]) {
  const directory = mkdtempSync("/tmp/amux-rel-");
  const there = make(directory);
  const say = (what, value) => rows.push({ what, name: make.name, value });
  try {
    for (const name of NAMES) there.start(name, PRINTING);
    for (const name of NAMES) await until(() => linesOf(there.text(name)) >= LINES, name);

    const viewers = NAMES.map((name) => there.attach(name));
    await sleep(500);
    for (const viewer of viewers) viewer.signal("SIGKILL");
    await sleep(500);
    say(`sessions alive after kill -9 of all viewers, of ${SESSIONS}`, there.alive());

    there.start("flooding", "exec cat");
    const stopped = there.attach("flooding");
    await sleep(500);
    stopped.signal("SIGSTOP");
    there.start("flood", FLOOD);
    const isOver = await within(() => linesOf(there.text("flood")) > 0, 60_000);
    say("a flood ends while a viewer of another session is stopped", isOver ? "yes" : "no");
    stopped.signal("SIGKILL");

    let kept = 0;
    let codes = 0;
    for (let run = 0; run < RUNS; run++) {
      there.start(`burst${run}`, BURST);
      await until(() => there.exitCode(`burst${run}`) !== undefined, `burst${run}`);
      // Gives bytes in transit time to arrive.
      await sleep(100);
      kept += linesOf(there.text(`burst${run}`));
      if (there.exitCode(`burst${run}`) === 3) codes++;
    }
    say(`lines kept of ${RUNS} programs that print 20 KB and end, of ${RUNS * BURST_LINES}`, kept);
    say(`exit codes kept, of ${RUNS}`, codes);

    process.kill(there.holder(NAMES[0]), "SIGKILL");
    await sleep(2000);
    const alive = there.alive();
    say(`sessions alive after kill -9 of the process that holds one, of ${SESSIONS}`, alive);
    const read = NAMES.reduce((sum, name) => sum + linesOf(there.text(name)), 0);
    say(`lines that can still be read then, of ${SESSIONS * LINES}`, read);
  } finally {
    there.end();
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}
print();

function amux(directory) {
  const env = { ...process.env, HOME: directory, AMUX_HOME: join(directory, "amux"), SHELL: "/bin/sh" };
  const command = join(root, "dist/amux.cjs");
  const call = (...args) => spawnSync(process.execPath, [command, ...args], { env, cwd: directory, encoding: "utf8" });
  const list = () => JSON.parse(call("ls", "--json").stdout || "[]");
  const find = (name) => list().find((session) => session.name === name);
  const rowsOf = () => list().filter(({ name }) => NAMES.includes(name));
  return {
    start: (name, script) => call("run", "-d", "--name", name, "--", "sh", "-c", script),
    text: (name) => call("tail", name, "-n", "10000").stdout,
    attach: (name) => inTerminal(`${process.execPath} ${command} attach ${name}`, env),
    alive: () => rowsOf().filter(({ alive }) => alive).length,
    exitCode: (name) => find(name)?.exit_code ?? undefined,
    holder: (name) => {
      const meta = join(env.AMUX_HOME, "sessions", find(name).id, "meta.json");
      return JSON.parse(readFileSync(meta, "utf8")).runner_pid;
    },
    end: () => list().forEach(({ id, alive }) => alive && call("kill", id)),
  };
}

function tmux(directory) {
  const socket = join(directory, "tmux");
  const env = { ...process.env, HOME: directory, TERM: "xterm-256color" };
  const call = (...args) => spawnSync("tmux", ["-f", "/dev/null", "-S", socket, ...args], { env, encoding: "utf8" });
  call("new-session", "-d", "-s", "first", "exec cat", ";", "set", "-g", "remain-on-exit", "on", ";");
  call("set", "-g", "history-limit", "10000");
  const ask = (name, format) => call("display-message", "-p", "-t", name, format).stdout.trim();
  return {
    start: (name, script) => call("new-session", "-d", "-s", name, "sh", "-c", script),
    text: (name) => call("capture-pane", "-p", "-S", "-", "-t", name).stdout,
    attach: (name) => inTerminal(`tmux -S ${socket} attach -t ${name}`, env),
    alive: () => NAMES.filter((name) => ask(name, "#{pane_dead}") === "0").length,
    exitCode: (name) => (ask(name, "#{pane_dead}") === "1" ? Number(ask(name, "#{pane_dead_status}")) : undefined),
    holder: () => Number(ask("first", "#{pid}")),
    end: () => call("kill-server"),
  };
}

/** In its own process group with its own terminal. */
function inTerminal(command, env) {
  const stdio = ["pipe", "ignore", "ignore"];
  const { pid = 0 } = spawn("script", ["-qfc", command, "/dev/null"], { env, detached: true, stdio });
  if (pid === 0) throw new Error("script (util-linux) is needed for a terminal.");
  return { signal: (name) => process.kill(-pid, name) };
}

function linesOf(text) {
  return new Set(text.match(/line-\d+ of them/g)).size;
}

async function within(test, ms) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(100)) if (test()) return true;
  return false;
}

async function until(test, what) {
  if (!(await within(test, 60_000))) throw new Error(`Waited in vain for ${what}.`);
}

function print() {
  const version = execFileSync("tmux", ["-V"], { encoding: "utf8" }).trim();
  console.log(`| | amux | ${version} |\n| --- | ---: | ---: |`);
  for (const { what, value } of rows.filter(({ name }) => name === "amux")) {
    const peer = rows.find((row) => row.name === "tmux" && row.what === what).value;
    console.log(`| ${what} | ${value} | ${peer} |`);
  }
}
