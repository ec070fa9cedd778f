/** A message of which it is told without parsing its records what it says is one that says so; and envelopes are passed over. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { damaged, randomFrom } from "../../../test/support/damaged-file.ts";
import { ByteScanner } from "../../lib/byte-scan.ts";
import type { SessionMessage } from "../../core/session.ts";
import { ReadNotes } from "../read-notes.ts";
import { fill, shown, told, type ShownPart } from "../shared/testing/said-part.ts";
import { envelopeOf } from "./envelope.ts";
import { history } from "./history.ts";
import { rebuildSlowly } from "./rebuild.ts";
import { saidScan } from "./said.ts";

const HOME = join(import.meta.dirname, "fixtures/home");
const SOURCES = history.listSessions({ home: HOME, platform: "linux", vars: {} }, new ReadNotes());
const scanner = new ByteScanner();
const needle = scanner.needle(Buffer.from("function"), { ignoreCase: true, loose: true });
const scan = saidScan(scanner, needle);

/** The first stands in most texts, the other one beside them. */
const WORDS = ["e", "type"].map((word) => {
  const wanted = scanner.needle(Buffer.from(word), { ignoreCase: true, loose: true });
  return { word, needle: wanted, scan: saidScan(scanner, wanted) };
});

/** As one of its own thread, and not inherited. */
function parsed(file: Buffer, start: number, end: number): SessionMessage | undefined {
  return rebuildSlowly(SOURCES[0]!, file, start, end, 2)[0];
}

/** How many are told, by the part that is shown: of messages that begin anywhere and have some lines. */
function expectSame(file: Buffer, counts: Map<string, number>): void {
  const bytes = fill(scanner, file);
  const starts = [0];
  for (let feed = bytes.indexOf(10); feed !== -1; feed = bytes.indexOf(10, feed + 1)) starts.push(feed + 1);
  for (let first = 0; first < starts.length; first++) {
    for (let lines = 1; lines < 7; lines++) {
      const [start, end] = [starts[first]!, starts[first + lines] ?? bytes.length];
      for (const { word, needle: wanted, scan: scanned } of WORDS) {
        const found = told(scanner, scanned, wanted, [start], end);
        if (found === undefined) continue;
        const message = parsed(bytes, start, end);
        // For one that is none nobody asks.
        if (message !== undefined) expect(found).toEqual(shown(message, word));
        const key = `${found.role} ${found.part}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
  }
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
  const bytes = fill(scanner, file);
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
  const counts = new Map<string, number>();
  for (const path of FILES) {
    const sound = readFileSync(path);
    expectSame(sound, counts);
    for (let round = 0; round < 6; round++) expectSame(damaged(sound, random), new Map());
  }
  for (const kind of ["assistant content", "assistant thinking", "assistant call", "user content"])
    expect(counts.get(kind)).toBeGreaterThan(10);
  expect(counts.get("tool content")).toBeGreaterThan(5);
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

const text = (role: string, ...texts: string[]): object =>
  item({ type: "message", id: "m", role, content: texts.map((each) => ({ type: "output_text", text: each })) });
const thought = (...texts: string[]): object =>
  item({ type: "reasoning", summary: texts.map((each) => ({ type: "summary_text", text: each })), content: null });
const call = (input: unknown): object => item({ type: "custom_tool_call", call_id: "c", name: "exec", input });
const named = (input: unknown): object =>
  item({ type: "function_call", name: "exec", arguments: JSON.stringify(input), call_id: "c" });
const USAGE = { timestamp, type: "token_usage_record", payload: { thread_id: "t", usage: { input_tokens: 1 } } };
const OVER = event({ type: "task_complete", duration_ms: 1000 });
const REPEATED = event({ type: "agent_message", message: "It is said" });
const AFTER = text("user", "It is asked");

const ownNeedle = scanner.needle(Buffer.from("it"), { ignoreCase: true, loose: true });
const ownScan = saidScan(scanner, ownNeedle);

function toldOf(lines: readonly string[], state = 0): ShownPart | undefined {
  const bytes = fill(scanner, Buffer.from(lines.map((line) => `${line}\n`).join("")));
  return told(scanner, ownScan, ownNeedle, [0], bytes.length, state);
}

it.each<[string, string | undefined, ...object[]]>([
  ["an output", "It is said", item(OUTPUT)],
  [
    "one with escapes",
    'Say "it" \\ \u001b[32m 😀 \ud83d\n'.repeat(100),
    item({ ...OUTPUT, output: 'Say "it" \\ \u001b[32m 😀 \ud83d\n'.repeat(100) }),
  ],
  [
    "one with more about it",
    "It is said",
    item({ ...OUTPUT, type: "custom_tool_call_output", truncation: { limit: 1.5, cut: false } }),
  ],
  ["one without the word", undefined, item({ ...OUTPUT, call_id: "it", output: "so" })],
  ["a prompt", "Say it", event({ type: "user_message", message: "Say it", images: [], local_images: [] })],
  ["one of an item", "Say it", prompt({ type: "text", text: "Say it", text_elements: [] })],
  ["a reply", "It is said", text("assistant", "It is said"), OVER, AFTER],
  ["one that ends with its usage", "It is said", text("assistant", "It is said"), USAGE, AFTER],
  ["one that is repeated", "It is said", text("assistant", "It is said"), REPEATED],
  ["one as a text", "it", item({ type: "message", role: "assistant", content: "it" })],
  ["what was said before what was thought", "It is said", thought("Is it?"), text("assistant", "It is said")],
  ["what was thought", "Is it?", thought("Is it?"), text("assistant", "so"), named({ cmd: "it" })],
  ["what was thought before what was called", "Is it?", named({ cmd: "it" }), thought("Is it?")],
  [
    "a thought in its contents",
    "it",
    item({ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "it" }] }),
  ],
  ["what was called", "it", thought(), call("so"), call("it"), USAGE],
  ["a call without the word", undefined, named({ cmd: "so" }), event({ type: "token_count", info: "it" })],
])("%s is told", (_, expected, ...records) => {
  const lines = records.map((record) => JSON.stringify(record));
  const file = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const found = toldOf(lines);
  expect(found).toEqual(shown(parsed(file, 0, file.length)!, "it"));
  expect(found?.text).toBe(expected);
});

it.each<[string, ...object[]]>([
  ["an output in parts", item({ ...OUTPUT, output: [{ type: "input_text", text: "It is said" }] })],
  ["an output in JSON", item({ ...OUTPUT, output: '{"output":"It is said","metadata":{}}' })],
  ["a summary", item(OUTPUT, { metadata: { compaction_output: true } })],
  ["an insertion", event({ type: "user_message", message: "Say it", kind: "environment_context" })],
  ["a prompt from an editor", event({ type: "user_message", message: "# Context from it" })],
  ["a prompt in parts", prompt({ type: "text", text: "Say" }, { type: "text", text: "it" })],
  ["an event that repeats", REPEATED],
  ["a reply in parts", text("assistant", "It", "is said")],
  ["a reply of two messages", text("assistant", "It"), text("assistant", "is said")],
  ["what nobody said", text("developer", "It is said")],
  ["a reply with a question in it", text("assistant", "It is said"), AFTER],
  ["a reply with an output in it", text("assistant", "It is said"), item(OUTPUT)],
  ["a summary of a reply", item({ type: "message", role: "assistant", content: "it" }, { metadata: {} })],
  ["thoughts", thought("Is", "it?")],
  ["nothing but a thought without words", thought(), event({ type: "token_count", info: "it" })],
  ["a call with JSON that has the word", named({ cmd: "it" })],
  ["a call of no name", item({ type: "custom_tool_call", input: "it" })],
  ["another call", item({ type: "web_search_call", action: { query: "it" } })],
  ["a reply before an item without a type", text("assistant", "it"), event({ type: "item_completed" })],
])("%s is not", (_, ...records) => {
  expect(toldOf(records.map((record) => JSON.stringify(record)))).toBeUndefined();
});

it.each([
  ['"payload":{"type":"message","role":"assistant","role":"user","content":"it"}}'],
  ['"payload":{"type":"message","role":"assistant","content":"it"},"type":"event_msg"}'],
  ['"payload":{"type":"message","role":"assistant","content":"it","type":"reasoning"}}'],
  ['"payload":{"type":"message","role":"assistant","content":"it"}'],
  ['"payload":{"type":"message","role":"assistant","content":"it\\x"}}'],
  ['"payload":{"type":"custom_tool_call","name":"a","input":{"b":"it","b":"or"}}}'],
])("nothing is told of %s", (rest) => {
  expect(toldOf([`{"timestamp":"${timestamp}","type":"response_item",${rest}`])).toBeUndefined();
});

it("an event is no prompt where items are", () => {
  const line = JSON.stringify(event({ type: "user_message", message: "Say it" }));
  expect(toldOf([line])).toBeDefined();
  expect(toldOf([line], 4)).toBeUndefined();
});
