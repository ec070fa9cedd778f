import { expect, it } from "vitest";
import type { AgentEvent } from "../core/agent-event.ts";
import { EventLog, HIGH_WATER_MARK } from "./event-log.ts";

const event = (number: number): AgentEvent => ({
  type: "log",
  source: "stdout",
  line: String(number),
  runId: "r",
  agent: "a",
  timestamp: number,
});
const gap = (lost: number): AgentEvent => event(-lost);

function open(): { log: EventLog; full: boolean[] } {
  const full: boolean[] = [];
  return { log: new EventLog((isFull) => full.push(isFull), gap), full };
}

async function rest(reader: AsyncGenerator<AgentEvent>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { timestamp } of reader) numbers.push(timestamp);
  return numbers;
}

it("gives every reader every event, whenever it comes", async () => {
  const { log } = open();
  const early = rest(log.read());
  for (let i = 0; i < 10; i++) log.push(event(i));
  const later = rest(log.read());
  log.end();
  const all = Array.from({ length: 10 }, (_, i) => i);
  expect([await early, await later, await rest(log.read())]).toEqual([all, all, all]);
});

it("says when the slowest reader is too far behind, and when it has caught up", async () => {
  const { log, full } = open();
  const reader = log.read();
  const first = reader.next();
  for (let i = 0; i <= HIGH_WATER_MARK; i++) log.push(event(i));
  await first;
  expect(full).toEqual([true]);
  for (let i = 0; i < HIGH_WATER_MARK / 2; i++) await reader.next();
  expect(full).toEqual([true, false]);
  log.end();
  expect(await rest(reader)).toHaveLength(HIGH_WATER_MARK / 2);
});

it("does not wait for a reader that has left", async () => {
  const { log, full } = open();
  const reader = log.read();
  const first = reader.next();
  for (let i = 0; i <= HIGH_WATER_MARK; i++) log.push(event(i));
  await first;
  await reader.return();
  expect(full).toEqual([true, false]);
});

it("keeps only the newest events without a reader, and says how many are gone", async () => {
  const { log, full } = open();
  for (let i = 0; i < 5000; i++) log.push(event(i));
  log.end();
  const [lost, ...held] = await rest(log.read());
  expect(held.length).toBeGreaterThanOrEqual(HIGH_WATER_MARK);
  expect(held.length).toBeLessThan(2 * HIGH_WATER_MARK);
  expect(-lost!).toBe(5000 - held.length);
  expect(held.at(-1)).toBe(4999);
  expect(full).toEqual([]);
});
