/** Time from a key to its echo: bare PTY, tmux and amux attached to a terminal, and amux at its socket. */
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { median, quantile, sleep, until } from "./stage.mjs";

const LEAST_RELAY = join(import.meta.dirname, "least-relay.cjs");

const ECHO = "stty raw -echo; echo READY; exec cat";
/**
 * All ways take turns in a rotating order, so that disturbances hit each equally. The first of fifty keys follows a pause, so p99
 * is about such keys. The relays, for comparison only, run every fifth time.
 */
const KEYS_IN_A_ROW = 50;
const PAUSE_MS = 2;
const RELAYS_EVERY = 5;
/** Until the benchmark's own code is optimised too. */
const WARM_UP_ROUNDS = 6;
/**
 * Overall p99 would be that of the worst minute. So it is taken per five seconds as a ratio to tmux in the same window, and the
 * median of these is reported.
 */
const ROUNDS_TOGETHER = 10;

export async function measureEcho(stage, { keys }) {
  // One each: a session with two viewers would echo to both.
  const [attached, served] = [await stage.amuxSession(ECHO), await stage.amuxSession(ECHO)];
  await stage.tmuxServer(ECHO);
  const [relay, relayed] = [await leastRelay(stage, "relay"), await leastRelay(stage, "relayed")];
  const paths = {
    pty: throughTerminal(stage.terminal("/bin/sh", ["-c", ECHO])),
    tmux: throughTerminal(stage.attachTmux()),
    attach: throughTerminal(stage.attachAmux(attached.id)),
    socket: await throughSocket(stage, served.socket),
  };
  const relays = {
    leastSocket: throughPlainSocket(relay.socket),
    leastAttach: throughTerminal(stage.terminal(process.execPath, [LEAST_RELAY, "attach", relayed.socket])),
  };
  await sleep(1500);
  const rounds = [];
  const before = processorTime();
  const order = Object.entries(paths);
  for (let round = -WARM_UP_ROUNDS; round < keys / KEYS_IN_A_ROW; round++) {
    order.push(order.shift());
    const turns = round % RELAYS_EVERY === 0 ? [...order, ...Object.entries(relays)] : order;
    const times = {};
    for (const [name, path] of turns) times[name] = await pressInARow(path);
    if (round >= 0) rounds.push(times);
  }
  const after = processorTime();
  for (const path of Object.values({ ...paths, ...relays })) path.close();
  for (const { child } of [relay, relayed]) child.kill("SIGKILL");
  await stage.endTmux();
  await stage.endAmux();
  tell(stage, rounds, (after.busy - before.busy) / (after.all - before.all));
}

/** CPU time of all processors and processes. */
function processorTime() {
  const [all] = readFileSync("/proc/stat", "utf8").split("\n");
  const times = all.split(/\s+/).slice(1, 9).map(Number);
  const sum = times.reduce((total, time) => total + time, 0);
  return { all: sum, busy: sum - times[3] - times[4] };
}

function tell(stage, rounds, busy) {
  const of = (name) => rounds.flatMap((round) => round[name] ?? []);
  const first = (name) => median(rounds.map((round) => round[name][0]));
  const twoHops = 2 * median(of("pty"));
  const row = (what, value, peer, bar, note) => stage.row({ what, value, peer, unit: "ms", bar, note });
  row("key and echo at the socket, p50", median(of("socket")), twoHops, 1.5, "peer: a bare PTY, twice");
  row("key and echo through amux attach, p50", median(of("attach")), median(of("tmux")), 2.5, "peer: tmux attach");
  for (const [name, where] of [
    ["socket", "at the socket"],
    ["attach", "through amux attach"],
  ]) {
    const { value, peer, ratio, low, high, groups } = togetherP99(rounds, name);
    const note = `peer: tmux attach; median of ${groups} times ${ROUNDS_TOGETHER * KEYS_IN_A_ROW} keys; 95 %: ${low.toFixed(2)} to ${high.toFixed(2)}; processors ${Math.round(100 * busy)} % busy`;
    stage.row({ what: `key and echo ${where}, p99`, value, peer, ratio, unit: "ms", bar: 1, note });
  }
  const firsts = `peer: tmux attach; ${rounds.length} keys each`;
  row("  a first key after a pause at the socket, p50", first("socket"), first("tmux"), undefined, firsts);
  row("  a first key after a pause, attached, p50", first("attach"), first("tmux"), undefined, firsts);
  const all = "of all keys together, with whatever disturbed them";
  for (const [name, where] of [
    ["socket", "at the socket"],
    ["attach", "attached"],
  ])
    row(`  ${where}, p99`, quantile(of(name), 0.99), quantile(of("tmux"), 0.99), undefined, all);
  const floor = "the least a relay in Node takes, for comparison";
  for (const [part, named] of [
    [0.5, "p50"],
    [0.99, "p99"],
  ]) {
    const peer = quantile(of("tmux"), part);
    row(
      `  least relay at a socket, ${named}`,
      quantile(of("leastSocket"), part),
      part === 0.5 ? twoHops : peer,
      undefined,
      floor,
    );
    row(`  least relay attached, ${named}`, quantile(of("leastAttach"), part), peer, undefined, floor);
  }
}

/** Medians for a way and for tmux, and of the ratio with its 95 % confidence interval. */
function togetherP99(rounds, name) {
  const together = Array.from({ length: Math.max(1, Math.floor(rounds.length / ROUNDS_TOGETHER)) }, (_, at) =>
    rounds.slice(at * ROUNDS_TOGETHER, (at + 1) * ROUNDS_TOGETHER),
  );
  const p99 = (some, way) =>
    quantile(
      some.flatMap((round) => round[way]),
      0.99,
    );
  const pairs = together.map((some) => ({ value: p99(some, name), peer: p99(some, "tmux") }));
  const ratios = pairs.map(({ value, peer }) => value / peer).toSorted((a, b) => a - b);
  const count = ratios.length;
  // The number of values below the true median is binomially distributed.
  const rank = Math.max(0, Math.floor((count - 1.96 * Math.sqrt(count)) / 2));
  return {
    value: median(pairs.map(({ value }) => value)),
    peer: median(pairs.map(({ peer }) => peer)),
    ratio: median(ratios),
    low: ratios[rank],
    high: ratios[count - 1 - rank],
    groups: count,
  };
}

async function pressInARow(path) {
  const times = [];
  for (let key = 0; key < KEYS_IN_A_ROW; key++) {
    times.push(await path.press());
    await sleep(PAUSE_MS);
  }
  return times;
}

async function leastRelay(stage, name) {
  const socket = join(stage.directory, `${name}.sock`);
  const child = stage.process(process.execPath, [LEAST_RELAY, "hold", socket, ECHO]);
  await until(() => existsSync(`${socket}.ready`));
  return { child, socket };
}

let pressed = 0;
function nextKey() {
  return "abcdefghijklmnopqrstuvwxyz"[pressed++ % 26];
}

function throughTerminal(terminal) {
  const echo = new Echo();
  terminal.onData((data) => echo.hear(data));
  return { press: () => echo.time((key) => terminal.write(key)), close: () => terminal.kill("SIGKILL") };
}

function throughPlainSocket(path) {
  const echo = new Echo();
  const socket = connect(path);
  socket.on("data", (data) => echo.hear(data));
  return { press: () => echo.time((key) => socket.write(key)), close: () => socket.destroy() };
}

async function throughSocket(stage, socket) {
  const connection = await stage.parts.openShimConnection(socket);
  const echo = new Echo();
  let ready = false;
  connection.subscribe((event) => {
    ready = true;
    if (event._tag === "output") echo.hear(event.data);
  });
  connection.send({ _tag: "attach", ptyId: "pty-1" });
  await until(() => ready);
  return {
    press: () => echo.time((key) => connection.input("pty-1", Buffer.from(key))),
    close: () => connection.close(),
  };
}

class Echo {
  #key = "";
  #heard;

  hear(data) {
    if (this.#heard !== undefined && data.includes(this.#key)) this.#heard();
  }

  async time(press) {
    this.#key = nextKey();
    const heard = new Promise((resolve) => (this.#heard = resolve));
    const began = performance.now();
    press(this.#key);
    await heard;
    this.#heard = undefined;
    return performance.now() - began;
  }
}
