/** How long a key takes to come back: bare PTY, tmux and amux attached to a terminal, and amux at its socket. */
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { median, quantile, sleep, until } from "./stage.mjs";

const LEAST_RELAY = join(import.meta.dirname, "least-relay.cjs");

const ECHO = "stty raw -echo; echo READY; exec cat";
/**
 * Forty of them are slower than p99, so that one disturbance does not decide it. All ways take turns for the same reason, in
 * an order that goes round, so that each comes after each other. Of the fifty keys of a turn the first comes after a
 * pause, of as long as the others' turns take: half a second. So p99 is what such a key takes.
 */
const KEYS = 4000;
const KEYS_IN_A_ROW = 50;
const PAUSE_MS = 2;
/** Until the bench's own code is as quick as it gets, too. */
const WARM_UP = 300;

export async function measureEcho(stage) {
  // One each: a session with two viewers would echo to both.
  const [attached, served] = [await stage.amuxSession(ECHO), await stage.amuxSession(ECHO)];
  await stage.tmuxServer(ECHO);
  const [relay, relayed] = [await leastRelay(stage, "relay"), await leastRelay(stage, "relayed")];
  const paths = {
    pty: throughTerminal(stage.terminal("/bin/sh", ["-c", ECHO])),
    tmux: throughTerminal(stage.attachTmux()),
    attach: throughTerminal(stage.attachAmux(attached.id)),
    socket: await throughSocket(stage, served.socket),
    leastSocket: throughPlainSocket(relay.socket),
    leastAttach: throughTerminal(stage.terminal(process.execPath, [LEAST_RELAY, "attach", relayed.socket])),
  };
  await sleep(1500);
  const times = Object.fromEntries(Object.keys(paths).map((name) => [name, []]));
  const order = Object.entries(paths);
  for (let sent = 0; sent < KEYS; sent += KEYS_IN_A_ROW) {
    order.push(order.shift());
    for (const [name, path] of order) {
      for (let key = 0; key < KEYS_IN_A_ROW; key++) {
        times[name].push(await path.press());
        await sleep(PAUSE_MS);
      }
    }
  }
  for (const path of Object.values(paths)) path.close();
  for (const { child } of [relay, relayed]) child.kill("SIGKILL");
  await stage.endTmux();
  await stage.endAmux();
  const of = (name, part) => quantile(times[name].slice(WARM_UP), part);
  const twoHops = 2 * median(times.pty.slice(WARM_UP));
  const row = (what, value, peer, bar, note) => stage.row({ what, value, peer, unit: "ms", bar, note });
  row("key and echo at the socket, p50", of("socket", 0.5), twoHops, 1.5, "peer: a bare PTY, twice");
  row("key and echo through amux attach, p50", of("attach", 0.5), of("tmux", 0.5), 2.5, "peer: tmux attach");
  const many = `peer: tmux attach; ${KEYS - WARM_UP} keys each`;
  row("key and echo at the socket, p99", of("socket", 0.99), of("tmux", 0.99), 1, many);
  row("key and echo through amux attach, p99", of("attach", 0.99), of("tmux", 0.99), 1, many);
  const first = (name) => median(times[name].slice(WARM_UP).filter((_, at) => at % KEYS_IN_A_ROW === 0));
  const firsts = `peer: tmux attach; ${(KEYS - WARM_UP) / KEYS_IN_A_ROW} keys each`;
  row("  a first key after a pause at the socket, p50", first("socket"), first("tmux"), undefined, firsts);
  row("  a first key after a pause, attached, p50", first("attach"), first("tmux"), undefined, firsts);
  const floor = "the least a relay in Node takes, for comparison";
  row("  least relay at a socket, p50", of("leastSocket", 0.5), twoHops, undefined, floor);
  row("  least relay attached, p50", of("leastAttach", 0.5), of("tmux", 0.5), undefined, floor);
  row("  least relay at a socket, p99", of("leastSocket", 0.99), of("tmux", 0.99), undefined, floor);
  row("  least relay attached, p99", of("leastAttach", 0.99), of("tmux", 0.99), undefined, floor);
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
