/** The history process crashes, is slow, or is replaced while it answers. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FileService } from "../../src/daemon/files/file-service.ts";
import { startHistoryProcess } from "../../src/daemon/files/history-process.ts";
import { mainThreadTicks } from "../../src/lib/process/processes.ts";
import { DEADLINE_MS } from "../support/deadline.ts";
import { holdClock } from "../support/held-clock.ts";
import { needsLinux } from "../support/needs.ts";
import { tempHome } from "../support/temp-home.ts";
import { waitFor } from "../support/wait-for.ts";
import { AMUX } from "./support/test-daemon.ts";

const READER = join(dirname(AMUX), "history-worker.cjs");

/** Its time passes only when a test says so; the processes are real. */
const STILL_MS = 20_000;

/** A reader program that gives every question an empty answer. */
const ANSWERING = `
  process.on("message", ({ type, call }) => {
    if (type === "open") process.send({ type: "end", call });
    if (type === "ping") process.send({ type: "alive" });
  });
  process.on("disconnect", () => process.exit());
`;

/** Blocks, as on a slow disk. */
function block(until: () => boolean): void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (!until()) Atomics.wait(never, 0, 0, 10);
}

/** `there` is a directory for notes. */
function program(source: string): { file: string; there: string } {
  const there = tempHome().path;
  const file = join(there, "reader.cjs");
  const names = { there, block: `(${block.toString()})` };
  const tools = `const { appendFileSync, existsSync } = require("node:fs");
    const there = (name) => ${JSON.stringify(`${names.there}/`)} + name;
    const block = ${names.block};`;
  writeFileSync(file, `${tools}\n${source}`);
  return { file, there };
}

function serviceOf(file: string) {
  const { path: home } = tempHome();
  const env = { home, platform: process.platform, vars: { AMUX_HOME: home } };
  const problems: { text: string; atMs: number }[] = [];
  const onProblem = (_: string, error: unknown): number =>
    problems.push({ text: String(error), atMs: performance.now() });
  const first = startHistoryProcess(env, file);
  const files = new FileService(
    env,
    { onNews: () => undefined, onProblem },
    { first, file, standingStillMs: STILL_MS },
  );
  onTestFinished(() => files.close());
  const read = (): AsyncGenerator<string> => files.read({ kind: "list", options: { since: new Date(0) } });
  const list = async (): Promise<string> => {
    let text = "";
    for await (const piece of read()) text += piece;
    return text;
  };
  return { problems, first, read, list };
}

test("a history process that computes is not taken for a blocked one, but not for ever", needsLinux, async () => {
  const { pass } = holdClock();
  const { file, there } = program(`
    process.on("message", ({ type, call }) => {
      if (type !== "open") return;
      while (!existsSync(there("enough")));
      process.send({ type: "end", call });
    });
    process.on("disconnect", () => process.exit());
  `);
  /** Time that it spends computing. */
  const passes = async ({ pid }: ChildProcess): Promise<void> => {
    const before = mainThreadTicks(pid!)!;
    await expect.poll(() => mainThreadTicks(pid!)).toBeGreaterThan(before + 5);
    await pass(STILL_MS);
  };
  const long = serviceOf(file);
  const answer = long.list();
  for (let look = 0; look < 8; look++) await passes(long.first);
  writeFileSync(join(there, "enough"), "");
  expect(await answer).toBe("");
  expect(long.problems).toEqual([]);

  rmSync(join(there, "enough"));
  const endless = serviceOf(file);
  const closed = once(endless.first, "close");
  const failed = expect(endless.list()).rejects.toThrow("did not respond");
  for (let look = 0; look < 10; look++) await passes(endless.first);
  await failed;
  // Until then there is no process to be asked.
  await closed;
  const again = expect(endless.list()).rejects.toThrow("did not respond");
  await expect.poll(() => pass(STILL_MS).then(() => endless.problems)).toHaveLength(2);
  await again;
});

test("a crashed history process leaves its last output in the log, and is restarted with growing delays", async () => {
  const { pass } = holdClock();
  const { file } = program(`process.stderr.write("x".repeat(9000) + "the last words"); process.exit(7);`);
  const { problems } = serviceOf(file);
  await expect.poll(() => pass(STILL_MS / 40).then(() => problems.length), { interval: 20 }).toBeGreaterThan(2);
  const [first, second, third] = problems;
  expect(first!.text).toMatch(/ended with 7\. x+the last words$/);
  expect(first!.text.length).toBeLessThan(5000);
  expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(STILL_MS / 4);
  expect(third!.atMs - second!.atMs).toBeGreaterThanOrEqual(STILL_MS / 2);
});

test("a history process that is slow on every start gets more time, until it answers", async () => {
  const { pass } = holdClock();
  const { file, there } = program(`
    appendFileSync(there("starts"), "x");
    block(() => existsSync(there("enough")));
    ${ANSWERING}`);
  const { list, problems } = serviceOf(file);
  const starts = (): number => (existsSync(join(there, "starts")) ? readFileSync(join(there, "starts")).length : 0);
  const given: number[] = [];
  for (let time = 1; time <= 3; time++) {
    // Without a request its start may take any time.
    await expect.poll(() => (starts() < time ? pass(1000).then(starts) : time)).toBe(time);
    const failed = expect(list()).rejects.toThrow("did not respond");
    const begunMs = performance.now();
    await expect.poll(() => pass(STILL_MS).then(() => problems.length)).toBe(time);
    given.push(problems.at(-1)!.atMs - begunMs);
    await failed;
  }
  expect(given[1]).toBeGreaterThan(given[0]!);
  expect(given[2]).toBeGreaterThan(given[1]!);
  for (const { text } of problems) expect(text).toContain("did not respond");
  writeFileSync(join(there, "enough"), "");
  const answer = list();
  await expect.poll(() => pass(1000).then(starts)).toBe(4);
  expect(await answer).toBe("");
});

test.each([0.1, 1.2])("a history process is not ended because the daemon itself was blocked (%s)", async (part) => {
  const { pass, passLate, inTimer } = holdClock();
  // It answers pings while the daemon is blocked, and the second question at the second ping.
  const { file, there } = program(`
    let asked = 0;
    let pings = 0;
    process.on("message", ({ type, call }) => {
      if (type === "open" && ++asked === 1) process.send({ type: "end", call });
      else if (type === "open") process.on("message", (ping) => {
        if (ping.type === "ping" && ++pings === 2) process.send({ type: "end", call });
      });
      if (type !== "ping") return;
      block(() => existsSync(there("blocked")));
      process.send({ type: "alive" }, () => appendFileSync(there("answered"), "x"));
    });
    process.on("disconnect", () => process.exit());
  `);
  const { list, problems } = serviceOf(file);
  await list();
  const answer = list();
  await pass(STILL_MS);
  await inTimer(() => {
    writeFileSync(join(there, "blocked"), "");
    // No timeout of the test ends it.
    const giveUp = Date.now() + DEADLINE_MS;
    block(() => existsSync(join(there, "answered")) || Date.now() > giveUp);
    passLate(STILL_MS, part * STILL_MS);
  });
  // Enough for the second ping, and not for the end of a process that answers it late.
  let leftMs = 1.5 * STILL_MS;
  const looked = async (): Promise<string> => {
    if (leftMs > 0) await pass(STILL_MS / 10);
    leftMs -= STILL_MS / 10;
    return readFileSync(join(there, "answered"), "utf8");
  };
  await expect.poll(looked).toMatch(/^xx/);
  await answer;
  expect(problems).toEqual([]);
});

test("a request fails when its history process is replaced, instead of hanging", async () => {
  const { read, first, problems } = serviceOf(READER);
  const answer = read();
  await answer.next();
  first.kill("SIGKILL");
  await waitFor("its end", () => problems.length > 0);
  expect(problems[0]!.text).toContain("ended with SIGKILL");
  await expect(answer.next()).rejects.toMatchObject({
    code: "INTERNAL",
    message: expect.stringContaining("was replaced"),
  });
});
