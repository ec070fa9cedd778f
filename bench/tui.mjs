/**
 * The terminal interface against its bars, beside tmux: CPU per frame, a flood beside typing, first screen, memory. Needs a
 * build.
 *   node bench/tui.mjs [--only frames,flood,first,switches] [--megabytes 100] [--seconds 10] [--live 50] [--past 5000] [--switches 1000]
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../scripts/setup.mjs";

const { spawn: spawnPty } = createRequire(import.meta.url)("@lydell/node-pty");

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "frames,flood,first,switches" },
    megabytes: { type: "string", default: "100" },
    seconds: { type: "string", default: "10" },
    live: { type: "string", default: "50" },
    past: { type: "string", default: "5000" },
    switches: { type: "string", default: "1000" },
  },
});

const AMUX = join(root, "dist/amux.cjs");
const COLS = 200;
const ROWS = 50;
const FRAME = "\x1b[?2026h";
const directory = mkdtempSync("/tmp/amux-bench-tui-");
const env = {
  PATH: process.env.PATH,
  HOME: directory,
  AMUX_HOME: join(directory, "amux"),
  SHELL: "/bin/sh",
  TERM: "xterm-256color",
  COLORTERM: "truecolor",
  LANG: "C.UTF-8",
};
const measures = { frames, flood, first, switches };
const rows = [];
process.once("SIGTERM", () => {
  cleanUp();
  process.exit(143);
});
try {
  for (const name of options.only.split(",")) await measures[name]();
} finally {
  cleanUp();
}
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;

function cleanUp() {
  for (const id of sessions()) amux("kill", id);
  spawnSync("tmux", ["-S", join(directory, "tmux"), "kill-server"]);
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** A pane of 170 columns that scrolls 30 times a second. */
async function frames() {
  const seconds = Number(options.seconds);
  const line = "x".repeat(160);
  run("scroll", `i=0; while :; do i=$((i+1)); echo "$i ${line}"; sleep 0.033; done`);
  const tui = open();
  await tui.sees("scroll");
  tui.type("\r");
  await tui.sees("vertical");
  await pause(1000);
  const before = { cpu: cpuMs(tui.pid), frames: count(tui.output, FRAME) };
  await pause(seconds * 1000);
  const cpu = cpuMs(tui.pid) - before.cpu;
  const painted = count(tui.output, FRAME) - before.frames;
  tell({
    what: `CPU per frame, ${(painted / seconds).toFixed(0)} frames a second`,
    got: `${(cpu / painted).toFixed(2)} ms`,
    bar: "3 ms",
    ok: cpu / painted <= 3,
  });
  await tui.leave();
  endAll();
}

/** `cat` of a file in one pane while typing in another; the same in tmux. */
async function flood() {
  const file = join(directory, "flood.txt");
  writeFlood(file, Number(options.megabytes));
  run("quiet", "exec cat");
  run("flood", `stty -echo; read go; cat ${file}; echo FLOOD-OVER; exec cat`);
  const tui = open();
  await tui.sees("flood");
  tui.type("\x1bs");
  await tui.sees("Sessions");
  tui.type("quiet\r");
  await tui.sees("vertical");
  tui.type("\x1bs");
  await tui.sees("Sessions");
  tui.type("flood\t");
  await pause(500);
  const [ours, typed] = await floodIn(tui, "\r", "\x1bh");
  await tui.leave();
  endAll();
  const tmux = openTmux(file);
  await pause(1000);
  const [theirs, typedThere] = await floodIn(tmux, "\r", "\x02o");
  tmux.kill();
  spawnSync("tmux", ["-S", join(directory, "tmux"), "kill-server"]);
  tell({
    what: `${options.megabytes} MB through cat`,
    got: `${(ours / 1000).toFixed(1)} s, tmux ${(theirs / 1000).toFixed(1)} s`,
    bar: "1.2 times tmux",
    ok: ours <= 1.2 * theirs,
  });
  const worst = Math.max(...typed);
  tell({
    what: `a key during the flood, ${typed.length} keys`,
    got: `median ${median(typed).toFixed(0)} ms, worst ${worst.toFixed(0)} ms (tmux ${median(typedThere).toFixed(0)}, ${Math.max(...typedThere).toFixed(0)})`,
    bar: "50 ms",
    ok: worst <= 50,
  });
}

/** Starts the flood in the focused pane, switches to the other, and types unique characters. */
async function floodIn(terminal, go, other) {
  const from = performance.now();
  terminal.type(go);
  await pause(100);
  terminal.type(other);
  await pause(100);
  const waits = [];
  const flood = { over: false };
  const end = terminal.sees("FLOOD-OVER", 120_000).then(() => {
    flood.over = true;
    return performance.now() - from;
  });
  for (let at = 0; !flood.over && at < 200; at++) {
    const sign = String.fromCodePoint(0x2460 + (at % 120));
    terminal.output = "";
    const typedAt = performance.now();
    terminal.type(sign);
    await Promise.race([terminal.sees(sign, 120_000), end]);
    if (!flood.over) waits.push(performance.now() - typedAt);
    if (at % 15 === 14) terminal.type("\r");
    await pause(50);
  }
  return [await end, waits];
}

/** From the start of the command to a screen with its sessions. */
async function first() {
  const live = Number(options.live);
  for (let at = 0; at < live; at++) run(`live-${at}`, "exec cat");
  writePast(Number(options.past));
  spawnSync(process.execPath, [AMUX, "sessions", "list", "--limit", "1"], { env });
  const times = [];
  for (let turn = 0; turn < 5; turn++) {
    const from = performance.now();
    const tui = open();
    await tui.sees("live-");
    times.push(performance.now() - from);
    if (turn === 0) {
      await tui.sees(`${options.past} past`, 60_000);
      tell({
        what: `${options.past} past sessions known`,
        got: `${(performance.now() - from).toFixed(0)} ms`,
        bar: "",
        ok: true,
      });
    }
    await tui.leave("q");
  }
  const bare = [];
  for (let turn = 0; turn < 5; turn++) {
    const from = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    bare.push(performance.now() - from);
  }
  tell({
    what: `first screen, ${live} running, ${options.past} past`,
    got: `${median(times).toFixed(0)} ms (Node alone ${median(bare).toFixed(0)} ms)`,
    bar: "300 ms",
    ok: median(times) <= 300,
  });
  endAll();
}

async function switches() {
  const turns = Number(options.switches);
  // Every cell of the last lines differs, so that each is drawn in one write.
  run("aaa", "seq 1 2000; echo AAAAAAAA; exec cat");
  run("bbb", "seq 1 2000; echo BBBBBBBB; exec cat");
  const tui = open();
  await tui.sees("bbb");
  const marks = [];
  for (let turn = 0; turn < turns; turn++) {
    const name = turn % 2 === 0 ? "aaa" : "bbb";
    tui.type("\x1bs");
    await tui.sees("Sessions");
    tui.output = "";
    tui.type(`${name}\r`);
    await tui.sees(name.toUpperCase().repeat(3).slice(0, 8));
    tui.output = "";
    if (turn === Math.floor(turns / 5) || turn === turns - 1) {
      await pause(1000);
      marks.push({ rss: rssMb(tui.pid), files: readdirSync(`/proc/${tui.pid}/fd`).length });
    }
  }
  const [early, late] = marks;
  tell({
    what: `memory after ${Math.floor(turns / 5)} and ${turns} switches`,
    got: `${early.rss} and ${late.rss} MB, ${early.files} and ${late.files} open files`,
    bar: "flat",
    ok: late.rss <= early.rss * 1.15 + 5 && late.files <= early.files,
  });
  await tui.leave();
  endAll();
}

function open() {
  return terminal(process.execPath, [AMUX], env);
}

function openTmux(file) {
  const socket = join(directory, "tmux");
  const tmux = (...args) => execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { env });
  tmux("new-session", "-d", "-x", String(COLS), "-y", String(ROWS), "exec cat");
  tmux("split-window", "-h", `stty -echo; read go; cat ${file}; echo FLOOD-OVER; exec cat`);
  return terminal("tmux", ["-S", socket, "attach"], env);
}

function terminal(program, args, variables) {
  const pty = spawnPty(program, args, { cols: COLS, rows: ROWS, cwd: directory, env: variables, encoding: null });
  const decoder = new TextDecoder();
  const self = {
    output: "",
    pid: pty.pid,
    type: (text) => pty.write(text),
    kill: () => pty.kill(),
    /** Resolves when the text has appeared. Texts are drawn in one write, since cells between letters would hide them. */
    sees: (text, withinMs = 20_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(look);
          reject(new Error(`"${text}" did not come`));
        }, withinMs);
        const look = () => {
          if (!self.output.includes(text)) return;
          clearTimeout(timer);
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    leave: async (keys = "\x02d") => {
      const gone = new Promise((resolve) => pty.onExit(resolve));
      self.type(keys);
      await gone;
    },
  };
  const watchers = new Set();
  pty.onData((data) => {
    self.output += decoder.decode(data, { stream: true });
    for (const look of watchers) look();
    // Only the end is searched; frames are counted before it is cut.
    if (self.output.length > 64_000_000) self.output = self.output.slice(-1_000_000);
  });
  return self;
}

function run(name, script) {
  amux("run", "-d", "--name", name, "--", "sh", "-c", script);
}

function amux(...args) {
  return execFileSync(process.execPath, [AMUX, ...args], { env, cwd: directory, encoding: "utf8" });
}

function sessions() {
  return JSON.parse(amux("ls", "--alive", "--json")).map(({ id }) => id);
}

function endAll() {
  for (const id of sessions()) amux("kill", id);
  rmSync(join(env.AMUX_HOME, "sessions"), { recursive: true, force: true });
}

/** Coloured log lines, as agents and builds write them. */
function writeFlood(path, megabytes) {
  const lines = [];
  for (let at = 0; at < 20_000; at++)
    lines.push(
      `\x1b[3${at % 8}m${String(at).padStart(6)}\x1b[m building module ${at * 7919} of the project, cached ${at % 3 === 0}`,
    );
  const piece = Buffer.from(`${lines.join("\n")}\n`);
  const file = openSync(path, "w");
  for (let written = 0; written < megabytes * 1e6; written += piece.length) writeSync(file, piece);
  closeSync(file);
}

function writePast(count) {
  const folder = join(directory, ".claude/projects/-tmp");
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < count; at++) {
    const sessionId = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
    const common = { sessionId, cwd: "/tmp", version: "2.0.0", timestamp: new Date(1.75e12 + at * 1000).toISOString() };
    const lines = [
      {
        type: "user",
        uuid: `u${at}`,
        parentUuid: null,
        ...common,
        message: { role: "user", content: `task number ${at}` },
      },
      {
        type: "assistant",
        uuid: `a${at}`,
        parentUuid: `u${at}`,
        ...common,
        message: {
          id: `m${at}`,
          role: "assistant",
          model: "claude-sonnet-4-5",
          content: [{ type: "text", text: "Done." }],
          usage: { input_tokens: 10, output_tokens: 5 },
        },
      },
    ];
    writeFileSync(join(folder, `${sessionId}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
}

function cpuMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function rssMb(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))[1]) / 1024);
}

function count(text, wanted) {
  return text.split(wanted).length - 1;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function pause(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Printed at once: an interrupted benchmark has shown its results so far. */
function tell(row) {
  rows.push(row);
  const { what, got, bar, ok } = row;
  console.log(`${what.padEnd(42)}  ${got.padEnd(52)}  ${bar === "" ? "" : `bar ${bar}`}${ok ? "" : "  MISSED"}`);
}
