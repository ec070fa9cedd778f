/** A record of which it is told without parsing what it says is a message that says so. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { damaged, randomFrom } from "../../../test/support/damaged-file.ts";
import { ByteScanner } from "../../lib/byte-scan.ts";
import { filesBelow } from "../../lib/directory.ts";
import type { Json } from "../../lib/fields.ts";
import { rebuildSlowly } from "./rebuild.ts";
import { saidScan } from "./said.ts";

const HOME = join(import.meta.dirname, "fixtures/home");
const scanner = new ByteScanner();
const scan = saidScan(scanner);

/** By the number of the line, of those that are told. */
function said(file: Buffer): Map<number, unknown> {
  const bytes = file.subarray(0, scanner.bytes.length);
  bytes.copy(scanner.bytes);
  scanner.close(bytes.length);
  const told = new Map<number, unknown>();
  for (let start = 0, number = 0; start < bytes.length; number++) {
    const found = scan.said(start, bytes.length, 0);
    if (found) {
      const { role, time, start: from, end } = found;
      told.set(number, { role, time, text: JSON.parse(`"${scanner.bytes.toString("utf8", from, end)}"`) });
    }
    const feed = bytes.indexOf(10, start);
    start = feed === -1 ? bytes.length : feed + 1;
  }
  return told;
}

function parsed(line: string): unknown {
  const [message] = rebuildSlowly([JSON.parse(line) as Json]);
  return { role: message!.role, time: message!.timestamp?.getTime(), text: message!.content };
}

function expectSame(file: Buffer): number {
  const lines = file.toString("utf8").split("\n");
  const told = said(file);
  for (const [number, found] of told) expect(found).toEqual(parsed(lines[number]!));
  return told.size;
}

it("in every recorded transcript, and however it is damaged", () => {
  const random = randomFrom(31);
  let count = 0;
  for (const { path } of filesBelow(join(HOME, ".claude/projects"), (name) => name.endsWith(".jsonl"))) {
    const sound = readFileSync(path);
    count += expectSame(sound);
    for (let round = 0; round < 40; round++) expectSame(damaged(sound, random));
  }
  expect(count).toBeGreaterThan(50);
});

const PROMPT = { type: "user", message: { role: "user", content: "Say it" }, timestamp: "2026-05-01T10:00:00.000Z" };
const RESULT = { type: "tool_result", tool_use_id: "toolu_1", content: "It is said" };
const output = (block: object, ...more: object[]): object => ({ ...PROMPT, message: { content: [block, ...more] } });

it.each([
  ["a prompt", PROMPT],
  ["one without a time", { ...PROMPT, timestamp: undefined }],
  ["one behind blanks", { ...PROMPT, message: { content: "  \n\tSay it" } }],
  ["one with escapes", { ...PROMPT, message: { content: 'Say "it" \\ \u001b[32m 😀 \ud83d' } }],
  ["a long one", { ...PROMPT, message: { content: "Say it. ".repeat(500) } }],
  ["an output", output(RESULT)],
  [
    "one with everything else",
    { a: [1.5, -2, true, null, {}], ...output({ ...RESULT, is_error: false }), toolUseResult: [[]] },
  ],
  ["one that begins as a tag", output({ ...RESULT, content: "<b>" })],
])("%s is told", (_, record) => {
  const line = JSON.stringify(record);
  expect(said(Buffer.from(`${line}\n`)).get(0)).toEqual(parsed(line));
});

it.each([
  ["a note", { ...PROMPT, isMeta: true }],
  ["a summary", { ...PROMPT, isCompactSummary: true }],
  ["what was queued", { ...PROMPT, attachment: { type: "queued_command" } }],
  ["what the program put in", { ...PROMPT, message: { content: " <command-name>/clear</command-name>" } }],
  ["an interruption", { ...PROMPT, message: { content: "[Request interrupted by user]" } }],
  ["a caveat", { ...PROMPT, message: { content: "Caveat: The messages below were generated" } }],
  ["a prompt behind another blank", { ...PROMPT, message: { content: "\u00a0<task-notification>" } }],
  ["nothing", { ...PROMPT, message: { content: "" } }],
  ["a reply", { ...PROMPT, type: "assistant" }],
  ["two outputs", output(RESULT, RESULT)],
  ["an output in parts", output({ ...RESULT, content: [{ type: "text", text: "It is said" }] })],
  ["an output of nothing", output({ ...RESULT, tool_use_id: "" })],
  ["no output", output({ type: "text", text: "It is said" })],
])("%s is not", (_, record) => {
  expect(said(Buffer.from(`${JSON.stringify(record)}\n`)).size).toBe(0);
});

it.each([
  ['{"type":"user","message":{"content":"Say it"},"message":{"content":"Or not"}}'],
  ['{"type":"user","message":{"content":"Say it"},"isM\\u0065ta":true}'],
  ['{"type":"user","message":{"content":"Say \\x it"}}'],
  ['{"type":"user","message":{"content":"Say it"},"n":01}'],
  ['{"type":"user","message":{"content":"Say it"}'],
  ['{"type":"user","message":{"content":"Say it"}} '],
])("nothing is told of %s", (line) => {
  expect(said(Buffer.from(`${line}\n`)).size).toBe(0);
});
