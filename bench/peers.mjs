/**
 * Cost of a link between machines: bytes and CPU at rest and per event, reconnects, memory per row, query times. Uses real
 * daemons linked through a counting proxy.
 *   node bench/peers.mjs [--peers 5] [--rows 50] [--requests 20000] [--seconds 40]
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildDaemon } from "../scripts/build-daemon.mjs";
import { sleep, startDaemon, writeHistory } from "./real-daemon.mjs";

const { values } = parseArgs({
  options: {
    peers: { type: "string", default: "5" },
    rows: { type: "string", default: "50" },
    requests: { type: "string", default: "20000" },
    seconds: { type: "string", default: "40" },
  },
});
const [peers, rows, requests, seconds] = ["peers", "rows", "requests", "seconds"].map((name) => Number(values[name]));
const root = join(import.meta.dirname, "..");
const directory = mkdtempSync(join(tmpdir(), "amux-bench-peers-"));
const table = [];
const daemons = [];
const wires = [];

try {
  const build = await buildDaemon(join(root, "node_modules/.cache/amux", `bench-peers-${process.pid}`));
  try {
    await measure(build);
  } finally {
    for (const daemon of daemons) await daemon.end();
    for (const wire of wires) wire.close();
    rmSync(build, { recursive: true, force: true });
  }
  print();
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

async function measure(build) {
  const hub = await start(build, "hub");
  await sleep(5000);
  const memoryAlone = hub.memory();
  const spokes = [];
  for (let number = 0; number < peers; number++) spokes.push(await spoke(build, number));
  const link = async () => {
    for (const [number, { daemon, wire }] of spokes.entries()) {
      const url = `http://127.0.0.1:${wire.port}`;
      await hub.ask("POST", "/v1/peers", { name: `m${number}`, url, token: daemon.token });
    }
    await until(async () => (await hub.ask("GET", "/v1/sessions")).length === peers * (rows + 1));
  };
  await link();
  const before = wires.map(({ bytes }) => bytes);
  add(
    "rows of other machines, to begin with",
    `${peers} × ${rows + 1}`,
    `${kilo(sum(before) / peers / (rows + 1))} each`,
  );
  await sleep(5000);
  add(
    "memory of a row",
    `${kilo(((hub.memory() - memoryAlone) * 1e6) / peers / (rows + 1))}`,
    "growth of the whole process, shared out",
  );

  const [first] = spokes;
  const atRest = wires.map(({ bytes }) => bytes);
  const linked = await during(hub, () => sleep(seconds * 1000));
  const heard = sum(wires.map(({ bytes }, index) => bytes - atRest[index]));
  // After it, not before: a daemon that has just started is still busy.
  for (const number of spokes.keys()) await hub.ask("DELETE", `/v1/peers/m${number}`);
  await sleep(5000);
  const alone = await during(hub, () => sleep(seconds * 1000));
  const perHour = 3600 / seconds / peers;
  add("a link at rest", `${kilo(heard * perHour)} per hour`, "heartbeats");
  add(
    "  processor here",
    `${((linked - alone) * perHour * 1000).toFixed(0)} ms per hour`,
    `alone ${((alone * 3600) / seconds).toFixed(1)} s, with ${peers} links ${((linked * 3600) / seconds).toFixed(1)} s per hour`,
  );

  await link();
  const { session_id: id } = await first.daemon.ask("POST", "/v1/launch", { command: ["cat"], cwd: directory });
  await until(async () => (await hub.ask("GET", "/v1/sessions")).some((session) => session.id === `${id}@m0`));
  await sleep(3000);
  const events = 100;
  const told = first.wire.bytes;
  const busyThere = cpu(first.daemon);
  const busy = await during(hub, async () => {
    for (let number = 0; number < events; number++) {
      await first.daemon.ask("PUT", `/v1/sessions/${id}/status`, { label: `step ${number}`, working: true });
      await sleep(110);
    }
  });
  const pace = (events * 110) / 1000 / seconds;
  add(
    "a changed row",
    `${kilo((first.wire.bytes - told) / events)}`,
    `${(((busy - linked * pace) * 1000) / events).toFixed(2)} ms of processor here, ${(((cpu(first.daemon) - busyThere) * 1000) / events).toFixed(2)} ms there (the change itself included)`,
  );

  const sent = first.wire.bytes;
  first.wire.cut();
  await until(async () => (await hub.ask("GET", "/v1/peers"))[0].state === "unreachable");
  const mended = performance.now();
  first.wire.mend();
  const again = await during(hub, () =>
    until(async () => (await hub.ask("GET", "/v1/peers"))[0].state === "connected", 20),
  );
  add(
    "a reconnection",
    `${kilo(first.wire.bytes - sent)}`,
    `${((performance.now() - mended) / 1000).toFixed(1)} s after the wire was mended (back-off included), ${(again * 1000).toFixed(0)} ms of processor with the asking`,
  );

  await fleet(hub);
  const lost = spokes.at(-1);
  lost.wire.freeze();
  const listed = await timed(() => hub.ask("GET", "/v1/sessions"));
  add(
    "list of all rows, with a machine that stands still",
    `${listed.ms.toFixed(1)} ms`,
    `${listed.answer.length} rows`,
  );
}

async function fleet(hub) {
  const waits = [];
  const over = new AbortController();
  const asking = (async () => {
    while (!over.signal.aborted) {
      waits.push((await timed(() => hub.ask("GET", "/v1/health"))).ms);
      await sleep(5);
    }
  })();
  const others = () =>
    `others waited ${Math.max(...waits).toFixed(0)} ms at most, ${median(waits).toFixed(1)} in the middle`;
  try {
    for (const round of ["first", "again"]) {
      waits.length = 0;
      const { ms, answer } = await timed(() => hub.ask("GET", "/v1/fleet/cost?group_by=model"));
      if (answer.partial) throw new Error(JSON.stringify(answer.machines));
      add(
        `cost over all machines, ${round}`,
        `${(ms / 1000).toFixed(2)} s`,
        `${answer.requestCount} requests; ${others()}`,
      );
    }
    waits.length = 0;
    const { ms, answer } = await timed(() => hub.ask("GET", "/v1/fleet/search?q=number&limit=1000"));
    add("search over all machines", `${(ms / 1000).toFixed(2)} s`, `${answer.hits.length} hits; ${others()}`);
  } finally {
    over.abort();
    await asking;
  }
}

async function start(build, name) {
  const place = join(directory, name);
  mkdirSync(place);
  const daemon = await startDaemon(build, place, "amux");
  daemons.push(daemon);
  return daemon;
}

async function spoke(build, number) {
  const name = `m${number}`;
  const wire = await countingWire();
  wires.push(wire);
  writeHistory(join(directory, name), rows);
  writeLedger(join(directory, name), number);
  // The host name used through the proxy.
  process.env.AMUX_HOSTS = `127.0.0.1:${wire.port}`;
  const daemon = await startDaemon(build, join(directory, name), "amux");
  daemons.push(daemon);
  wire.target = daemon.port;
  return { daemon, wire };
}

/** One session with many requests. */
function writeLedger(home, number) {
  const id = `99999999-0000-4000-8000-${String(number).padStart(12, "0")}`;
  const lines = [];
  for (let at = 0; at < requests; at++) {
    const common = {
      sessionId: id,
      timestamp: new Date(1.77e12 + at * 30_000).toISOString(),
      cwd: "/w",
      version: "2.1.0",
    };
    const usage = { input_tokens: 100 + (at % 50), output_tokens: 50 };
    const message = {
      id: `m-${number}-${at}`,
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: "done" }],
      usage,
    };
    lines.push(
      JSON.stringify({
        type: "assistant",
        uuid: `a${number}-${at}`,
        parentUuid: null,
        requestId: `r-${number}-${at}`,
        ...common,
        message,
      }),
    );
  }
  const project = join(home, "user", ".claude", "projects", "ledger");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, `${id}.jsonl`), `${lines.join("\n")}\n`);
}

async function countingWire() {
  const pairs = new Set();
  const wire = { bytes: 0, target: 0, isCut: false, isFrozen: false };
  const server = createServer((near) => {
    if (wire.isCut) return near.destroy();
    const far = connect(wire.target, "127.0.0.1");
    const pair = [near, far];
    pairs.add(pair);
    for (const [from, to] of [pair, pair.toReversed()]) {
      from.on("data", (data) => {
        wire.bytes += data.length;
        if (!wire.isFrozen) to.write(data);
      });
      from.on("error", () => undefined);
      from.on("close", () => {
        pairs.delete(pair);
        // Bytes in transit still arrive.
        to.end();
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(wire, {
    port: server.address().port,
    cut() {
      wire.isCut = true;
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
    mend: () => (wire.isCut = false),
    freeze: () => (wire.isFrozen = true),
    close() {
      wire.cut();
      server.close();
    },
  });
}

/** CPU seconds including threads; finer than the ticks of /proc/stat. */
function cpu({ pid }) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return (
    sum(tasks.map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]))) / 1e9
  );
}

async function during(daemon, work) {
  const from = cpu(daemon);
  await work();
  return cpu(daemon) - from;
}

async function timed(work) {
  const from = performance.now();
  const answer = await work();
  return { ms: performance.now() - from, answer };
}

async function until(test, everyMs = 100) {
  const deadline = performance.now() + 60_000;
  while (!(await test())) {
    if (performance.now() > deadline) throw new Error("Waited in vain.");
    await sleep(everyMs);
  }
}

function sum(numbers) {
  return numbers.reduce((all, number) => all + number, 0);
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}

function kilo(bytes) {
  return `${(bytes / 1000).toFixed(2)} KB`;
}

function add(what, figure, more = "") {
  table.push([what, figure, more]);
}

function print() {
  const widths = [0, 1].map((column) => Math.max(...table.map((row) => row[column].length)));
  for (const [what, figure, more] of table) {
    console.log(`${what.padEnd(widths[0])}  ${figure.padStart(widths[1])}  ${more}`.trimEnd());
  }
}
