/**
 * Raises sessions, viewers and history step by step and measures the same figures at each; exits with 1 if a step fails. A step
 * is sessions:viewers:history.
 *   node bench/load.mjs [--steps 50:10:10000,100:25:30000,200:50:100000] [--seconds 15]
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { WebSocket } from "ws";
import { buildDaemon } from "../scripts/build-daemon.mjs";
import { root } from "../scripts/setup.mjs";
import { sleep, startDaemon, writeHistory } from "./real-daemon.mjs";

const { values: options } = parseArgs({
  options: {
    steps: { type: "string", default: "50:10:10000,100:25:30000,200:50:100000" },
    seconds: { type: "string", default: "15" },
  },
});
const STEPS = options.steps.split(",").map((step) => {
  const [sessions, viewers, history] = step.split(":").map(Number);
  return { sessions, viewers, history };
});
const SECONDS = Number(options.seconds);

const BUSY = 'while :; do printf "\\033[32m%s\\033[0m %s\\n" "$RANDOM" "$RANDOM"; sleep 0.02; done';
const QUIET = 'while :; do printf "\\033]0;%s\\007tick\\n" "$RANDOM"; sleep 5; done';

/** Limit of each figure at any step. */
const BARS = { "list p99, ms": 100, "key to screen p99, ms": 100, "daemon at rest, % CPU": 5 };

const build = await buildDaemon(join(root, "node_modules/.cache/amux", `load-${process.pid}`));
const columns = [];
try {
  for (const step of STEPS) columns.push(await measure(step));
} finally {
  rmSync(build, { recursive: true, force: true });
}
print();

async function measure({ sessions, viewers, history }) {
  const directory = mkdtempSync("/tmp/amux-load-");
  writeHistory(directory, history);
  const daemon = await startDaemon(build, directory, "home");
  const figures = {};
  try {
    figures["until the history is known, s"] = await known(daemon, history);
    const began = performance.now();
    const ids = [];
    for (let number = 0; number < sessions; number++) {
      const script = number % 10 === 0 ? BUSY : QUIET;
      const { session_id: id } = await daemon.ask("POST", "/v1/launch", {
        command: ["bash", "-c", script],
        cwd: directory,
      });
      ids.push(id);
    }
    figures["starts a second"] = sessions / ((performance.now() - began) / 1000);
    const watchers = ids.slice(0, viewers).map((id) => watch(daemon, id));
    const echo = await daemon.ask("POST", "/v1/launch", { command: ["cat"], cwd: directory });
    await sleep(3000);
    const cpu = daemon.cpuSeconds();
    const lists = [];
    const keys = [];
    const end = Date.now() + SECONDS * 1000;
    while (Date.now() < end) {
      lists.push(await timed(() => daemon.text("GET", "/v1/sessions")));
      keys.push(await timed(() => typed(daemon, echo.session_id, keys.length)));
      await sleep(20);
    }
    figures["list p50, ms"] = at(lists, 0.5);
    figures["list p99, ms"] = at(lists, 0.99);
    figures["key to screen p50, ms"] = at(keys, 0.5);
    figures["key to screen p99, ms"] = at(keys, 0.99);
    figures["daemon under load, % CPU"] = ((daemon.cpuSeconds() - cpu) / SECONDS) * 100;
    figures["daemon's memory, MB"] = daemon.memory();
    const runners = ids.map((id) =>
      JSON.parse(readFileSync(join(directory, "home/sessions", id, "meta.json"), "utf8")),
    );
    const memory = runners.reduce((sum, { runner_pid: pid }) => sum + proportional(pid), 0);
    figures["memory of a runner, MB"] = memory / runners.length;
    figures["viewers that got nothing"] = watchers.filter(({ bytes }) => bytes() === 0).length;
    figures["descriptors of the daemon"] = readdirSync(`/proc/${daemon.pid}/fd`).length;
    figures["search in the history, ms"] = await timed(() =>
      daemon.text("GET", "/v1/history/search?q=number+77&limit=20"),
    );
    for (const { close } of watchers) close();
    await daemon.killAll();
    await sleep(2000);
    const before = daemon.cpuSeconds();
    await sleep(10_000);
    figures["daemon at rest, % CPU"] = (daemon.cpuSeconds() - before) * 10;
  } finally {
    await daemon.end();
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
  return { name: `${sessions} sessions, ${viewers} viewers, ${history} past`, figures };
}

async function known(daemon, history) {
  const began = performance.now();
  // As many conversations of an agent as have rows.
  const wanted = Math.min(history, 20_000);
  while ((await daemon.ask("GET", "/v1/health")).sessions.dead < wanted) await sleep(100);
  return (performance.now() - began) / 1000;
}

function watch(daemon, id) {
  const headers = { authorization: `Bearer ${daemon.token}` };
  const viewer = new WebSocket(`ws://127.0.0.1:${daemon.port}/ws/${id}`, { headers });
  let bytes = 0;
  viewer.on("message", (data) => (bytes += data.length));
  viewer.on("error", (error) => process.stderr.write(`${id}: ${error.message}\n`));
  return { bytes: () => bytes, close: () => viewer.close() };
}

/** Types a line through the daemon and waits for it on the screen. */
async function typed(daemon, id, number) {
  await daemon.text("POST", `/v1/sessions/${id}/input`, undefined, `line-${number}\r`);
  while (!(await daemon.text("GET", `/v1/sessions/${id}/text?lines=5`)).includes(`line-${number}`)) await sleep(1);
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function proportional(pid) {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))[1]) / 1000;
}

function at(list, share) {
  return list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];
}

function print() {
  console.log(`| | ${columns.map(({ name }) => name).join(" | ")} |`);
  console.log(`| --- |${columns.map(() => " ---: |").join("")}`);
  for (const what of Object.keys(columns[0].figures)) {
    const cells = columns.map(({ figures }) => {
      const value = figures[what];
      const isOver = value > (BARS[what] ?? Number.POSITIVE_INFINITY);
      if (isOver) process.exitCode = 1;
      return `${value.toFixed(1)}${isOver ? " (over)" : ""}`;
    });
    console.log(`| ${what} | ${cells.join(" | ")} |`);
  }
}
