/**
 * Looks for growth: a working day of a daemon and its sessions in an hour; exits with 1 if memory, descriptors or threads grew.
 * `node bench/soak.mjs [--minutes 60] [--sessions 20] [--history 2000]`
 */
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { WebSocket } from "ws";
import { buildDaemon } from "../scripts/build-daemon.mjs";
import { root } from "../scripts/setup.mjs";
import { sleep, startDaemon, writeHistory } from "./real-daemon.mjs";

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    sessions: { type: "string", default: "20" },
    history: { type: "string", default: "2000" },
  },
});
const MINUTES = Number(options.minutes);
if (!(MINUTES >= 6)) {
  process.stderr.write("A soak takes six minutes at least: its first and last sixths are compared.\n");
  process.exit(2);
}

const PROGRAMS = [
  'while :; do printf "\\033[3%dm%s\\033[0m the quick brown fox %s\\n" $((RANDOM % 8)) "$RANDOM" "$RANDOM"; sleep 0.5; done',
  'while :; do printf "\\033[H\\033[2J"; for i in $(seq 24); do echo "row $i $RANDOM"; done; sleep 1; done',
  "exec sleep 100000",
  'while read line; do echo "answer $line"; done',
];

/** Allowed growth in the compared time: viewers come and go, and some memory is noise. */
const BARS = { memory: 1.05, descriptors: 1.05, threads: 1 };

const directory = mkdtempSync("/tmp/amux-soak-");
const build = await buildDaemon(join(root, "node_modules/.cache/amux", `soak-${process.pid}`));
writeHistory(directory, Number(options.history));
const daemon = await startDaemon(build, directory, "home");
const done = {};
const samples = [];
try {
  await soak();
  print();
} finally {
  await daemon.end();
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  rmSync(build, { recursive: true, force: true });
}

async function soak() {
  const lasting = [];
  for (let number = 0; number < Number(options.sessions); number++) {
    lasting.push(await launch(PROGRAMS[number % PROGRAMS.length]));
  }
  const restless = lasting.splice(-4);
  const end = Date.now() + MINUTES * 60_000;
  const isOver = () => Date.now() >= end;
  await Promise.all([
    ...[1, 2, 3].map(() => every(30_000, isOver, "events read", readEvents)),
    every(2000, isOver, "lists", () => daemon.ask("GET", "/v1/sessions")),
    every(1000, isOver, "viewers", (turn) => view(lasting[turn % lasting.length])),
    every(5000, isOver, "short lives", shortLife),
    every(15_000, isOver, "resumes", (turn) => killAndResume(restless[turn % restless.length])),
    every(20_000, isOver, "searches", () => daemon.text("GET", "/v1/history/search?q=number+7")),
    every(60_000, isOver, "cost reports", () => daemon.ask("GET", "/v1/cost")),
    every(1000, isOver, "history lines", growHistory),
    every(60_000, isOver, "samples", () => samples.push(sample(lasting))),
  ]);
}

/** One after another; failures are printed and counted, and do not end the soak. */
async function every(ms, isOver, name, work) {
  for (let turn = 0; !isOver(); turn++) {
    const next = Date.now() + ms;
    try {
      await work(turn);
      done[name] = (done[name] ?? 0) + 1;
    } catch (error) {
      done[`${name} failed`] = (done[`${name} failed`] ?? 0) + 1;
      process.stderr.write(`${name}: ${error.message}\n`);
    }
    await sleep(Math.max(0, next - Date.now()));
  }
}

async function launch(script) {
  const { session_id: id } = await daemon.ask("POST", "/v1/launch", {
    command: ["bash", "-c", script],
    cwd: directory,
  });
  return id;
}

async function shortLife() {
  const id = await launch("seq 2000");
  await until(id, false);
  await daemon.ask("POST", `/v1/sessions/${id}/dismiss`);
}

async function killAndResume(id) {
  await daemon.ask("POST", `/v1/sessions/${id}/kill`);
  await until(id, false);
  await daemon.ask("POST", `/v1/sessions/${id}/resume`);
  await until(id, true);
}

async function until(id, isAlive) {
  for (let tries = 0; tries < 200; tries++) {
    const found = (await daemon.ask("GET", "/v1/sessions")).find((session) => session.id === id);
    if (found?.alive === isAlive) return;
    await sleep(100);
  }
  throw new Error(`${id} did not become ${isAlive ? "alive" : "dead"} in 20 s`);
}

function view(id) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${daemon.token}` };
    const viewer = new WebSocket(`ws://127.0.0.1:${daemon.port}/ws/${id}`, { headers });
    viewer.once("message", () => setTimeout(() => viewer.close(), 500));
    viewer.once("close", resolve);
    viewer.once("error", reject);
    setTimeout(() => viewer.terminate(), 10_000).unref();
  });
}

async function readEvents() {
  const headers = { authorization: `Bearer ${daemon.token}` };
  const signal = AbortSignal.timeout(25_000);
  try {
    const { body } = await fetch(`http://127.0.0.1:${daemon.port}/v1/events`, { headers, signal });
    for await (const piece of body) done["event bytes"] = (done["event bytes"] ?? 0) + piece.length;
  } catch (error) {
    if (error.name !== "TimeoutError") throw error;
  }
}

function growHistory(turn) {
  const sessionId = "00000007-0000-4000-8000-000000000000";
  const record = {
    type: turn % 2 === 0 ? "assistant" : "user",
    uuid: `grown-${turn}`,
    parentUuid: turn === 0 ? "u-7" : `grown-${turn - 1}`,
    sessionId,
    timestamp: new Date().toISOString(),
    message: { role: turn % 2 === 0 ? "assistant" : "user", content: `number ${turn} of them` },
  };
  const file = join(directory, "user/.claude/projects/project-7", `${sessionId}.jsonl`);
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

function sample(lasting) {
  const runners = lasting.map(runnerOf).filter((pid) => pid !== undefined);
  const taken = { daemon: figures([daemon.pid]), runners: figures(runners), count: runners.length };
  const { memory, descriptors, threads } = taken.daemon;
  process.stderr.write(
    `minute ${samples.length}: daemon ${memory.toFixed(1)} MB, ${descriptors} descriptors, ${threads} threads; ` +
      `${taken.count} runners ${taken.runners.memory.toFixed(1)} MB, ${taken.runners.descriptors} descriptors\n`,
  );
  return taken;
}

/** Undefined between its death and its resumption. */
function runnerOf(id) {
  const meta = JSON.parse(readFileSync(join(directory, "home/sessions", id, "meta.json"), "utf8"));
  return existsSync(`/proc/${meta.runner_pid}/smaps_rollup`) ? meta.runner_pid : undefined;
}

/** Proportional memory in MB: shared pages count once. */
function figures(pids) {
  const sum = { memory: 0, descriptors: 0, threads: 0 };
  for (const pid of pids) {
    sum.memory += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))[1]) / 1000;
    sum.descriptors += readdirSync(`/proc/${pid}/fd`).length;
    sum.threads += readdirSync(`/proc/${pid}/task`).length;
  }
  return sum;
}

function print() {
  const sixth = Math.max(1, Math.floor(samples.length / 6));
  const early = samples.slice(sixth, 2 * sixth);
  const late = samples.slice(-sixth);
  const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
  console.log(`${MINUTES} minutes: ${JSON.stringify(done)}\n`);
  console.log("of         what         early       late    ratio   bar");
  for (const of of ["daemon", "runners"]) {
    for (const [what, bar] of Object.entries(BARS)) {
      const [before, after] = [early, late].map((part) => median(part.map((taken) => taken[of][what])));
      const verdict = after <= before * bar ? "held" : "GREW";
      if (verdict === "GREW") process.exitCode = 1;
      const cells = [before, after].map((value) => value.toFixed(1).padStart(10));
      console.log(
        `${of.padEnd(10)} ${what.padEnd(11)} ${cells.join(" ")} ${(after / before).toFixed(3).padStart(8)}   ${bar} ${verdict}`,
      );
    }
  }
}
