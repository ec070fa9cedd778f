/** A message of which it is told without parsing its records what it says is one that says so. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { damaged, randomFrom } from "../../../test/support/damaged-file.ts";
import { ByteScanner } from "../../lib/byte-scan.ts";
import { filesBelow } from "../../lib/directory.ts";
import { asObject, type Json } from "../../lib/fields.ts";
import { fill, shown, told, type ShownPart } from "../shared/testing/said-part.ts";
import { rebuildSlowly } from "./rebuild.ts";
import { kindOf, replyId } from "./record.ts";
import { saidScan } from "./said.ts";

const HOME = join(import.meta.dirname, "fixtures/home");
const scanner = new ByteScanner();
/** The first stands in most texts, the other one beside them. */
const WORDS = ["e", "type"].map((word) => {
  const needle = scanner.needle(Buffer.from(word), { ignoreCase: true, loose: true });
  return { word, needle, scan: saidScan(scanner, needle) };
});

interface Line {
  start: number;
  /** Undefined when it is damaged. */
  record: Json | undefined;
}

function linesOf(bytes: Buffer): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(10, start);
    const end = feed === -1 ? bytes.length : feed;
    let record: Json | undefined;
    try {
      record = asObject(JSON.parse(bytes.toString("utf8", start, end)));
    } catch {
      // Damaged on purpose.
    }
    lines.push({ start, record });
    start = end + 1;
  }
  return lines;
}

/** Each line by itself, and the lines of each reply. */
function messagesIn(bytes: Buffer): Line[][] {
  const lines = linesOf(bytes);
  const replies = new Map<string, Line[]>();
  for (const line of lines) {
    if (line.record === undefined || kindOf(line.record) !== "reply") continue;
    const id = replyId(line.record);
    replies.set(id, [...(replies.get(id) ?? []), line]);
  }
  return [...lines.map((line) => [line]), ...[...replies.values()].filter(({ length }) => length > 1)];
}

/** How many are told, by the part that is shown. */
function expectSame(file: Buffer, counts: Map<string, number>): void {
  const bytes = fill(scanner, file);
  for (const lines of messagesIn(bytes)) {
    for (const { word, needle, scan } of WORDS) {
      const found = told(
        scanner,
        scan,
        needle,
        lines.map(({ start }) => start),
        bytes.length,
      );
      if (found === undefined) continue;
      const records = lines.map(({ record }) => record!);
      expect(found).toEqual(shown(rebuildSlowly(records)[0]!, word));
      const key = `${found.role} ${found.part}${lines.length > 1 ? " of several" : ""}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
}

it("in every recorded transcript, and however it is damaged", () => {
  const random = randomFrom(31);
  const counts = new Map<string, number>();
  for (const { path } of filesBelow(join(HOME, ".claude/projects"), (name) => name.endsWith(".jsonl"))) {
    const sound = readFileSync(path);
    expectSame(sound, counts);
    for (let round = 0; round < 20; round++) expectSame(damaged(sound, random), new Map());
  }
  for (const role of ["user", "tool", "assistant"]) expect(counts.get(`${role} content`)).toBeGreaterThan(20);
  for (const part of ["thinking", "call", "undefined"]) expect(counts.get(`assistant ${part}`)).toBeGreaterThan(5);
  for (const part of ["content", "thinking"]) expect(counts.get(`assistant ${part} of several`)).toBeGreaterThan(5);
});

const PROMPT = { type: "user", message: { role: "user", content: "Say it" }, timestamp: "2026-05-01T10:00:00.000Z" };
const RESULT = { type: "tool_result", tool_use_id: "toolu_1", content: "It is said" };
const output = (block: object, ...more: object[]): object => ({ ...PROMPT, message: { content: [block, ...more] } });
const reply = (...content: object[]): object => ({ ...PROMPT, type: "assistant", message: { model: "m", content } });
const TEXT = { type: "text", text: "I say it" };
const THOUGHT = { type: "thinking", thinking: "What is it?", signature: "it" };
const call = (input: unknown): object => ({ type: "tool_use", id: "toolu_it", name: "Bash", input });

const needle = scanner.needle(Buffer.from("it"), { ignoreCase: true, loose: true });
const scan = saidScan(scanner, needle);

function toldOf(...lines: string[]): ShownPart | undefined {
  const bytes = fill(scanner, Buffer.from(lines.map((line) => `${line}\n`).join("")));
  const starts = linesOf(bytes).map(({ start }) => start);
  return told(scanner, scan, needle, starts, bytes.length);
}

function shownOf(...lines: string[]): ShownPart {
  return shown(rebuildSlowly(lines.map((line) => JSON.parse(line) as Json))[0]!, "it");
}

it.each<[string, string | undefined, ...object[]]>([
  ["a prompt", "Say it", PROMPT],
  ["one without a time", "Say it", { ...PROMPT, timestamp: undefined }],
  ["one behind blanks", "  \n\tSay it", { ...PROMPT, message: { content: "  \n\tSay it" } }],
  [
    "one with escapes",
    'Say "it" \\ \u001b[32m 😀 \ud83d',
    { ...PROMPT, message: { content: 'Say "it" \\ \u001b[32m 😀 \ud83d' } },
  ],
  ["a long one", "Say it. ".repeat(500), { ...PROMPT, message: { content: "Say it. ".repeat(500) } }],
  ["one without the word", undefined, { ...PROMPT, cwd: "/it", message: { content: "Say so" } }],
  ["an output", "It is said", output(RESULT)],
  [
    "one with everything else",
    "It is said",
    { a: [1.5, -2, true, null, {}], ...output({ ...RESULT, is_error: false }), toolUseResult: [[]] },
  ],
  ["one that begins as a tag", "<b>it</b>", output({ ...RESULT, content: "<b>it</b>" })],
  ["a reply", "I say it", reply(TEXT)],
  ["one with its keys in another order", "I say it", reply({ text: "I say it", type: "text" })],
  ["one of nothing", undefined, reply({ type: "text", text: "" }, { ...THOUGHT, thinking: "" })],
  ["what was said before what was thought", "I say it", reply(THOUGHT, TEXT)],
  ["what was thought", "What is it?", reply({ ...TEXT, text: "I say" }, THOUGHT)],
  ["what was thought before what was called", "What is it?", reply(call({ command: "it" }), THOUGHT)],
  ["what was called", "echo it", reply({ ...TEXT, text: "I say" }, call({ it: 1, command: "echo it", also: "it" }))],
  ["the name of what was called", "Edit", reply({ ...call({ command: "it" }), name: "Edit" })],
  ["deep in what was called", "or it", reply(call({ a: [{ b: [null, "that", { c: "or it" }] }], d: "it" }))],
  ["a call with a key in two objects", "it", reply(call({ edits: [{ old: "a" }, { old: "it" }] }))],
  ["a call without anything", undefined, reply({ ...call(0), input: undefined })],
  ["the second call", "it", reply(call({ command: "that" }), call({ command: "it" }))],
  ["a reply of several records", "I say it", reply(THOUGHT), reply(TEXT), reply(call("it"))],
  ["one that has the word in the last of them", "it", reply({ ...TEXT, text: "so" }), reply(call(["it"]))],
])("%s is told", (_, text, ...records) => {
  const lines = records.map((record) => JSON.stringify(record));
  const found = toldOf(...lines);
  expect(found).toEqual(shownOf(...lines));
  expect(found?.text).toBe(text);
});

it("the time of a reply is that of its first record", () => {
  const later = { ...reply(TEXT), timestamp: "2026-05-01T11:00:00.000Z" };
  expect(toldOf(JSON.stringify(reply(call("so"))), JSON.stringify(later))?.time).toBe(Date.parse(PROMPT.timestamp));
  const undated = { ...reply(call("so")), timestamp: undefined };
  expect(toldOf(JSON.stringify(undated), JSON.stringify(later))?.time).toBeUndefined();
});

it.each<[string, ...object[]]>([
  ["a note", { ...PROMPT, isMeta: true }],
  ["a summary", { ...PROMPT, isCompactSummary: true }],
  ["what was queued", { ...PROMPT, attachment: { type: "queued_command" } }],
  ["what the program put in", { ...PROMPT, message: { content: " <command-name>/it</command-name>" } }],
  ["an interruption", { ...PROMPT, message: { content: "[Request interrupted by user]it" } }],
  ["a caveat", { ...PROMPT, message: { content: "Caveat: it was generated" } }],
  ["a prompt behind another blank", { ...PROMPT, message: { content: "\u00a0<task-notification>it" } }],
  ["nothing", { ...PROMPT, cwd: "/it", message: { content: "" } }],
  ["a reply as a text", { ...PROMPT, type: "assistant" }],
  ["two outputs", output(RESULT, RESULT)],
  ["two outputs in two records", output(RESULT), output(RESULT)],
  ["an output in parts", output({ ...RESULT, content: [{ type: "text", text: "It is said" }] })],
  ["an output of nothing", output({ ...RESULT, tool_use_id: "" })],
  ["no output", output({ type: "text", text: "It is said" })],
  ["an output in a reply", reply(RESULT)],
  ["an output behind a reply", reply(TEXT, RESULT)],
  ["an error", { ...reply(TEXT), isApiErrorMessage: true }],
  ["what no model said", { ...reply(), message: { model: "<synthetic>", content: [TEXT] } }],
  ["a reply of two texts", reply(TEXT, TEXT)],
  ["one of two texts in two records", reply(TEXT), reply(TEXT)],
  ["two thoughts", reply(THOUGHT, THOUGHT)],
  ["a picture in a reply", reply({ type: "image", text: "it" })],
  ["a call of nothing", reply({ ...call("it"), name: "" })],
  ["a call with an escape in its name", reply({ ...call("it"), name: 'it"' })],
  ["a call with a number for a key", reply(call({ b: "it", 1: "it too" }))],
])("%s is not", (_, ...records) => {
  expect(toldOf(...records.map((record) => JSON.stringify(record)))).toBeUndefined();
});

it.each([
  ['{"type":"user","message":{"content":"Say it"},"message":{"content":"Or not"}}'],
  ['{"type":"user","message":{"content":"Say it"},"isM\\u0065ta":true}'],
  ['{"type":"user","message":{"content":"Say \\x it"}}'],
  ['{"type":"user","message":{"content":"Say it"},"n":01}'],
  ['{"type":"user","message":{"content":"Say it"}'],
  ['{"type":"user","message":{"content":"Say it"}} '],
  ['{"type":"assistant","type":"user","message":{"content":[{"type":"text","text":"Say it"}]}}'],
  ['{"type":"assistant","message":{"model":"\\u003csynthetic>","content":[{"type":"text","text":"Say it"}]}}'],
  ['{"type":"assistant","message":{"content":[{"type":"text","text":"Say it"}],"content":[]}}'],
  ['{"type":"assistant","message":{"content":[{"type":"tool_use","name":"a","input":{"b":"it","b":"or"}}]}}'],
  ['{"type":"assistant","message":{"content":[{"type":"tool_use","name":"a","input":{"b":"it","\\u0062":"or"}}]}}'],
])("nothing is told of %s", (line) => {
  expect(toldOf(line)).toBeUndefined();
});

it("of keys in a block that are the same the last one counts", () => {
  const line = '{"type":"assistant","message":{"content":[{"type":"text","text":"it","text":"or it"}]}}';
  expect(toldOf(line)).toEqual(shownOf(line));
});
