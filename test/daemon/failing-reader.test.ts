/** The history process crashes, is slow, or is replaced while it answers. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FileService } from "../../src/daemon/files/file-service.ts";
import { startHistoryProcess } from "../../src/daemon/files/history-process.ts";
import { MOMENT_MS } from "../support/deadline.ts";
import { needsLinux } from "../support/needs.ts";
import { tempHome } from "../support/temp-home.ts";
import { waitFor } from "../support/wait-for.ts";
import { AMUX } from "./support/test-daemon.ts";

const READER = join(dirname(AMUX), "history-worker.cjs");

/** A reader program that gives every question an empty answer. */
const ANSWERING = `
  process.on("message", ({ type, call }) => {
    if (type === "open") process.send({ type: "end", call });
    if (type === "ping") process.send({ type: "alive" });
  });
  process.on("disconnect", () => process.exit());
`;

/** Blocks, as on a slow disk. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function program(source: string): string {
  const path = join(tempHome().path, "reader.cjs");
  writeFileSync(path, source);
  return path;
}

function serviceOf(file: string, standingStillMs: number) {
  const { path: home } = tempHome();
  const env = { home, platform: process.platform, vars: { AMUX_HOME: home } };
  const problems: { text: string; atMs: number }[] = [];
  const onProblem = (_: string, error: unknown): number =>
    problems.push({ text: String(error), atMs: performance.now() });
  const first = startHistoryProcess(env, file);
  const files = new FileService(env, { onNews: () => undefined, onProblem }, { first, file, standingStillMs });
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
  const computing = (ms: number): string => `
    process.on("message", ({ type, call }) => {
      if (type !== "open") return;
      for (const end = performance.now() + ${ms}; performance.now() < end; );
      process.send({ type: "end", call });
    });
    process.on("disconnect", () => process.exit());
  `;
  const long = serviceOf(program(computing(3 * MOMENT_MS)), MOMENT_MS);
  expect(await long.list()).toBe("");
  expect(long.problems).toEqual([]);
  const endless = serviceOf(program(computing(1e9)), 100);
  for (let times = 0; times < 2; times++) await expect(endless.list()).rejects.toThrow("did not respond");
});

test("a crashed history process leaves its last output in the log, and is restarted with growing delays", async () => {
  const file = program(`process.stderr.write("x".repeat(9000) + "the last words"); process.exit(7);`);
  const { problems } = serviceOf(file, 400);
  await waitFor("three crashes", () => problems.length >= 3);
  const [first, , third] = problems;
  expect(first!.text).toMatch(/ended with 7\. x+the last words$/);
  expect(first!.text.length).toBeLessThan(5000);
  expect(third!.atMs - first!.atMs).toBeGreaterThan(290);
});

test("a history process that is slow on every start gets more time, until it answers", async () => {
  const limitMs = MOMENT_MS / 4;
  const file = program(`(${block.toString()})(${3 * limitMs}); ${ANSWERING}`);
  const { list, problems } = serviceOf(file, limitMs);
  await waitFor("an answer", () => list().catch(() => undefined));
  expect(problems.length).toBeGreaterThan(0);
  for (const { text } of problems) expect(text).toContain("did not respond");
});

test.each([0.9, 2])("a history process is not ended because the daemon itself was blocked (%s)", async (part) => {
  // It answers pings late, and the second question at the second ping.
  const file = program(`
    let asked = 0;
    let pings = 0;
    const send = (message) => process.send(message);
    process.on("message", ({ type, call }) => {
      if (type === "open" && ++asked === 1) send({ type: "end", call });
      else if (type === "open") process.on("message", (ping) => {
        if (ping.type === "ping" && ++pings === 2) send({ type: "end", call });
      });
      if (type === "ping") setTimeout(send, ${MOMENT_MS / 2}, { type: "alive" });
    });
    process.on("disconnect", () => process.exit());
  `);
  const { list, problems } = serviceOf(file, MOMENT_MS);
  await list();
  const answer = list();
  // After an immediate, overdue timers run before arrived messages.
  setTimeout(() => setImmediate(block, part * MOMENT_MS), 1.2 * MOMENT_MS);
  await answer;
  expect(problems).toEqual([]);
});

test("a request fails when its history process is replaced, instead of hanging", async () => {
  const { read, first, problems } = serviceOf(READER, 2 * MOMENT_MS);
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
