/** A record of which it is told without parsing what it says is a message that says so; and envelopes are passed over. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { damaged, randomFrom } from "../../../test/support/damaged-file.ts";
import { ByteScanner } from "../../lib/byte-scan.ts";
import { ReadNotes } from "../read-notes.ts";
import { envelopeOf } from "./envelope.ts";
import { history } from "./history.ts";
import { rebuildSlowly } from "./rebuild.ts";
import { saidScan } from "./said.ts";

const HOME = join(import.meta.dirname, "fixtures/home");
const SOURCES = history.listSessions({ home: HOME, platform: "linux", vars: {} }, new ReadNotes());
const scanner = new ByteScanner();
const needle = scanner.needle(Buffer.from("function"), { ignoreCase: true, loose: true });
const scan = saidScan(scanner, needle);

function fill(file: Buffer): Buffer {
  const bytes = file.subarray(0, scanner.bytes.length);
  bytes.copy(scanner.bytes);
  scanner.close(bytes.length);
  return bytes;
}

/** By the place of the line, of those that are told. */
function said(file: Buffer): Map<number, unknown> {
  const bytes = fill(file);
  const told = new Map<number, unknown>();
  for (let start = 0; start < bytes.length;) {
    const found = scan.said(start, bytes.length, 0);
    if (found) {
      const { role, time, start: from, end } = found;
      told.set(start, { role, time, text: JSON.parse(`"${scanner.bytes.toString("utf8", from, end)}"`) });
    }
    const feed = bytes.indexOf(10, start);
    start = feed === -1 ? bytes.length : feed + 1;
  }
  return told;
}

function parsed(file: Buffer, start: number): unknown {
  const feed = file.indexOf(10, start);
  const end = feed === -1 ? file.length : feed + 1;
  // As one of its own thread, and not inherited.
  const [message] = rebuildSlowly(SOURCES[0]!, file, start, end, 2);
  return message && { role: message.role, time: message.timestamp?.getTime(), text: message.content };
}

function expectSame(file: Buffer): number {
  const told = said(file);
  for (const [start, found] of told) expect(found).toEqual(parsed(file, start));
  return told.size;
}

/** Places of the word, as the envelopes of their lines let them be found. */
function placesIn(bytes: Buffer): number[] {
  const places: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const place = needle.findUnescaped(at, bytes.length);
    if (place < 0) break;
    const start = place === 0 ? 0 : bytes.lastIndexOf(10, place - 1) + 1;
    const length = envelopeOf(bytes.toString("latin1", start, start + 384));
    const feed = bytes.indexOf(10, place);
    const after = length === Number.POSITIVE_INFINITY ? (feed === -1 ? bytes.length : feed) : start + length;
    if (after <= place) places.push(place);
    at = Math.max(after, place + 1);
  }
  return places;
}

function expectSamePlaces(file: Buffer): number {
  const bytes = fill(file);
  const expected = placesIn(bytes);
  const places: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const place = scan.find!(at, bytes.length);
    if (place < 0) break;
    places.push(place);
    at = place + 1;
  }
  expect(places).toEqual(expected);
  return places.length;
}

const FILES = SOURCES.flatMap(({ files }) => files.map(({ path }) => path)).filter((path) => path.endsWith(".jsonl"));

it("in every recorded rollout, and however it is damaged", () => {
  const random = randomFrom(37);
  let count = 0;
  for (const path of FILES) {
    const sound = readFileSync(path);
    count += expectSame(sound);
    for (let round = 0; round < 30; round++) expectSame(damaged(sound, random));
  }
  expect(count).toBeGreaterThan(20);
});

it("places in every recorded rollout are those outside of envelopes, however it is damaged", () => {
  const random = randomFrom(41);
  for (const path of FILES) {
    const sound = readFileSync(path);
    expectSamePlaces(sound);
    for (let round = 0; round < 10; round++) expectSamePlaces(damaged(sound, random));
  }
});

const timestamp = "2026-05-01T10:00:00.000Z";
const event = (payload: object, more = {}): object => ({ timestamp, ordinal: 7, type: "event_msg", payload, ...more });
const item = (payload: object, more = {}): object => ({ timestamp, type: "response_item", payload, ...more });
const OUTPUT = { type: "function_call_output", call_id: "call_1", output: "It is said" };
const prompt = (...content: object[]): object =>
  event({ type: "item_completed", thread_id: "t", turn_id: "u", item: { type: "UserMessage", id: "i", content } });

it.each([
  ["an output", item(OUTPUT)],
  ["one with escapes", item({ ...OUTPUT, output: 'Say "it" \\ \u001b[32m 😀 \ud83d\n'.repeat(100) })],
  [
    "one with more about it",
    item({ ...OUTPUT, type: "custom_tool_call_output", truncation: { limit: 1.5, cut: false } }),
  ],
  ["a prompt", event({ type: "user_message", message: "Say it", images: [], local_images: [] })],
  ["one of an item", prompt({ type: "text", text: "Say it", text_elements: [] })],
])("%s is told", (_, record) => {
  const file = Buffer.from(`${JSON.stringify(record)}\n`);
  const told = said(file).get(0);
  expect(told).toBeDefined();
  expect(told).toEqual(parsed(file, 0));
});

it.each([
  ["an output in parts", item({ ...OUTPUT, output: [{ type: "input_text", text: "It is said" }] })],
  ["an output in JSON", item({ ...OUTPUT, output: '{"output":"It is said","metadata":{}}' })],
  ["a summary", item(OUTPUT, { metadata: { compaction_output: true } })],
  ["an insertion", event({ type: "user_message", message: "Say it", kind: "environment_context" })],
  ["a prompt from an editor", event({ type: "user_message", message: "# Context from my IDE setup" })],
  ["a prompt in parts", prompt({ type: "text", text: "Say" }, { type: "text", text: "it" })],
  ["a reply", item({ type: "message", role: "assistant", content: [{ type: "output_text", text: "It is said" }] })],
  ["an event that repeats", event({ type: "agent_message", message: "It is said" })],
])("%s is not", (_, record) => {
  expect(said(Buffer.from(`${JSON.stringify(record)}\n`)).size).toBe(0);
});

it("an event is no prompt where items are", () => {
  const bytes = fill(Buffer.from(`${JSON.stringify(event({ type: "user_message", message: "Say it" }))}\n`));
  expect(scan.said(0, bytes.length, 0)).toBeDefined();
  expect(scan.said(0, bytes.length, 4)).toBeUndefined();
});
