/** Time from the request to the first screen with 10,000 lines above it, and how long the runner blocks others. */
import { join } from "node:path";
import { writeLines } from "./output.mjs";
import { median, quantile, sleep, until } from "./stage.mjs";

const LINES = 12_000;
const TIMES = 30;
const FIRST_SCREEN_MS = 50;
const MAX_BLOCKED_MS = 20;
const PING_EVERY_MS = 1;

export async function measureAttach(stage) {
  const file = join(stage.directory, "lines");
  writeLines(file, LINES);
  const { socket } = await stage.amuxSession(`cat ${file}; exec sleep 600`);
  await sleep(4000);
  const first = [];
  const whole = [];
  const waits = [];
  for (let time = 0; time < TIMES; time++) {
    const pings = new Pings(await stage.parts.openShimConnection(socket));
    await sleep(20);
    const { screen, history } = await attach(stage, socket);
    first.push(screen);
    whole.push(history);
    waits.push(await pings.end());
  }
  await stage.endAmux();
  stage.row({ what: "attach: first screen, p50", value: median(first), unit: "ms", bar: FIRST_SCREEN_MS });
  stage.row({ what: "attach: first screen, worst", value: quantile(first, 1), unit: "ms", bar: FIRST_SCREEN_MS });
  stage.row({ what: "attach: 10,000 lines of history, p50", value: median(whole), unit: "ms" });
  stage.row({
    what: "attach: another client's longest wait, p50",
    value: median(waits),
    unit: "ms",
    bar: MAX_BLOCKED_MS,
  });
  stage.row({
    what: "attach: another client's longest wait, p90",
    value: quantile(waits, 0.9),
    unit: "ms",
    bar: MAX_BLOCKED_MS,
  });
}

async function attach(stage, socket) {
  const began = performance.now();
  const connection = await stage.parts.openShimConnection(socket);
  let screen;
  let history;
  connection.subscribe((event) => {
    if (event._tag === "snapshot") screen ??= performance.now() - began;
    if (event._tag === "history" && event.remaining === 0) history = performance.now() - began;
  });
  connection.send({ _tag: "attach", ptyId: "pty-1" });
  connection.send({ _tag: "history", ptyId: "pty-1", lines: 10_000 });
  await until(() => history !== undefined);
  connection.close();
  return { screen, history };
}

/** Sends requests continuously and records the longest silence. */
class Pings {
  #connection;
  #longest = 0;
  #sentAt;
  #timer;

  constructor(connection) {
    this.#connection = connection;
    connection.subscribe((event) => {
      if (event._tag !== "pong") return;
      this.#longest = Math.max(this.#longest, performance.now() - this.#sentAt);
      this.#timer = setTimeout(() => this.#send(), PING_EVERY_MS);
    });
    this.#send();
  }

  #send() {
    this.#sentAt = performance.now();
    this.#connection.send({ _tag: "ping" });
  }

  async end() {
    await sleep(20);
    clearTimeout(this.#timer);
    this.#connection.close();
    return this.#longest;
  }
}
