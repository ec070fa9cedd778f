/**
 * Measures the daemon: 50 sessions (10 flooding) with watching browsers, the same at rest beside 10,000 history files, and a
 * page's first load. Exits with 1 if a bar is missed.
 *   node bench/daemon.mjs [--sessions 50] [--flooding 10] [--history 10000] [--seconds 15] [--only underLoad|atRest|firstLoad]
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildDaemon } from "../scripts/build-daemon.mjs";
import { root } from "../scripts/setup.mjs";
import { freePort } from "../scripts/free-port.mjs";
import { fetchText, sleep, startDaemon, writeHistory } from "./real-daemon.mjs";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string", default: "50" },
    flooding: { type: "string", default: "10" },
    history: { type: "string", default: "10000" },
    seconds: { type: "string", default: "15" },
    only: { type: "string" },
  },
});
const SESSIONS = Number(options.sessions);
const FLOODING = Number(options.flooding);
const HISTORY = Number(options.history);
const SECONDS = Number(options.seconds);
const READERS = 9;
const VIEWERS = 5;
const RESUMABLE = 5000;

const directory = mkdtempSync("/tmp/amux-bench-");
const build = await buildDaemon(join(root, "node_modules/.cache/amux", `bench-${process.pid}`));
const rows = [];
let daemon;
try {
  for (const part of [underLoad, atRest, firstLoad]) {
    if (options.only === undefined || options.only === part.name) await part();
  }
} finally {
  await daemon?.end();
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  rmSync(build, { recursive: true, force: true });
}
print();

async function underLoad() {
  daemon = await startDaemon(build, directory, "load");
  const flooding = [];
  for (let number = 0; number < SESSIONS; number++) {
    const isFlooding = number < FLOODING;
    const script = isFlooding
      ? "read x; while :; do seq 100000 200000; done"
      : 'while :; do printf "\\033]0;title $RANDOM\\007"; sleep 2; done';
    const { session_id: id } = await daemon.ask("POST", "/v1/launch", {
      command: ["bash", "-c", script],
      cwd: directory,
    });
    if (isFlooding) flooding.push(id);
  }
  const watchers = fork(fileURLToPath(new URL("daemon-watchers.mjs", import.meta.url)), {
    detached: true,
    env: {
      ...process.env,
      PORT: String(daemon.port),
      TOKEN: daemon.token,
      READERS,
      VIEWERS,
      SESSIONS: flooding.slice(0, VIEWERS).join(),
    },
  });
  await once(watchers, "message");
  for (const id of flooding) await daemon.ask("POST", `/v1/sessions/${id}/input`, undefined, "\n");
  await sleep(2000);
  const before = daemon.memory();
  const peer = await startPeer((await daemon.text("GET", "/v1/sessions")).length);
  const latencies = { daemon: [], peer: [] };
  const [cpu, began] = [daemon.cpuSeconds(), performance.now()];
  for (const end = Date.now() + SECONDS * 1000; Date.now() < end; await sleep(15)) {
    latencies.daemon.push(await timed(() => daemon.text("GET", "/v1/sessions")));
    latencies.peer.push(await timed(() => fetchText({ port: peer.port })));
  }
  peer.child.kill();
  row("daemon's CPU under load", ((daemon.cpuSeconds() - cpu) / (performance.now() - began)) * 1e5, "%");
  row("requests measured", latencies.daemon.length, "");
  const after = daemon.memory();
  const at = (list, share) => list.sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];
  row("GET /v1/sessions under load, p50", at(latencies.daemon, 0.5), "ms");
  row("a bare HTTP server, p50", at(latencies.peer, 0.5), "ms");
  row("GET /v1/sessions under load, p99", at(latencies.daemon, 0.99), "ms", 50);
  row("a bare HTTP server, p99", at(latencies.peer, 0.99), "ms");
  row("daemon's memory under load", after, "MB", 300);
  row("growth of it in the time", Math.max(0, after - before), "MB", 60);
  await daemon.killAll();
  await sleep(1000);
  const truth = await daemon.ask("GET", "/v1/sessions");
  watchers.send(truth);
  const [{ wrong, bytes }] = await once(watchers, "message");
  row("consumers whose picture is not the daemon's", wrong, "", 0);
  row("terminal output that viewers got", bytes / 1e6, "MB");
  watchers.kill();
  await daemon.end();
  daemon = undefined;
}

async function atRest() {
  writeHistory(directory, HISTORY);
  daemon = await startDaemon(build, directory, "rest");
  for (let number = 0; number < SESSIONS; number++) {
    await daemon.ask("POST", "/v1/launch", { command: ["sleep", "100000"], cwd: directory });
  }
  await settled();
  const before = daemon.cpuSeconds();
  const rest = 35;
  await sleep(rest * 1000);
  row(
    `CPU at rest, ${SESSIONS} sessions, ${HISTORY} history files`,
    ((daemon.cpuSeconds() - before) / rest) * 100,
    "%",
    1,
  );
  row("daemon's memory at rest", daemon.memory(), "MB");
  await daemon.end();
  daemon = undefined;
}

async function firstLoad() {
  writeHistory(directory, RESUMABLE);
  daemon = await startDaemon(build, directory, "first");
  await settled();
  const began = performance.now();
  const text = await daemon.text("GET", "/v1/sessions");
  const took = performance.now() - began;
  const { data } = JSON.parse(text);
  row(`first load of ${data.length} resumable sessions`, took, "ms", 300);
  row("its size", text.length / 1e6, "MB");
  await daemon.kill();
  const restarted = performance.now();
  daemon = await startDaemon(build, directory, "first");
  row("kill -9, until the daemon answers again", performance.now() - restarted, "ms");
  // A cheap query: the list itself is what the daemon is about to build.
  const known = async () => {
    const { alive, dead } = (await daemon.ask("GET", "/v1/health")).sessions;
    return alive + dead;
  };
  while ((await known()) < data.length) await sleep(10);
  await daemon.text("GET", "/v1/sessions");
  row("kill -9, until everything is there again", performance.now() - restarted, "ms");
  await daemon.end();
  daemon = undefined;
}

/** Waits until the daemon has scanned everything and is idle. */
async function settled() {
  for (let last = -1; ;) {
    const now = daemon.cpuSeconds();
    if (now - last < 0.03) return;
    last = now;
    await sleep(2000);
  }
}

/** A bare HTTP server that answers every request with this many bytes. */
async function startPeer(bytes) {
  const port = await freePort();
  const code = `require("node:http").createServer((_, r) => r.end("x".repeat(${bytes}))).listen(${port}, "127.0.0.1", () => console.log(""))`;
  const child = spawn(process.execPath, ["-e", code], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return { child, port };
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function row(what, value, unit, bar) {
  rows.push({ what, value, unit, bar });
  process.stderr.write(`${what}: ${value.toFixed(1)} ${unit}\n`);
}

function print() {
  for (const { what, value, unit, bar } of rows) {
    const verdict = bar === undefined ? "" : `bar ${bar} ${unit}  ${value <= bar ? "held" : "MISSED"}`;
    console.log(`${what.padEnd(58)} ${value.toFixed(1).padStart(9)} ${unit.padEnd(3)} ${verdict}`);
  }
  process.exitCode = rows.some(({ value, bar }) => bar !== undefined && value > bar) ? 1 : 0;
}
