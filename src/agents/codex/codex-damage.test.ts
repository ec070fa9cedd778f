/** Damaged and hostile files: the rest is read, and what is lost is reported. */
import { chmodSync, cpSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { treeHash } from "../../../test/support/agents/conformance.ts";
import { countMessages } from "../in-memory.ts";
import { ReadNotes } from "../read-notes.ts";
import { history } from "./history.ts";
import { legacy, outline, uuidAt, WrittenHome } from "../../../test/support/agents/codex-home.ts";

const FIXTURES = fileURLToPath(new URL("fixtures", import.meta.url));
const START = "2026-03-01T10:00:00.000Z";
const THREAD = uuidAt(START);
const PACKED = "01a1dce4-3a8f-7191-bb3c-0c756c05330a";
const at = legacy(START);
const LINES = [at.meta(THREAD), at.prompt("a"), at.reply("1"), at.count(100, 100)].map((line) => JSON.stringify(line));
const OUTPUT = JSON.stringify(at.line("response_item", { type: "function_call_output", call_id: "c", output: "x{}" }));

let written: WrittenHome;
beforeEach(() => {
  written = new WrittenHome();
});
afterEach(() => written.remove());

function write(content: string | Buffer): string {
  return written.write(`.codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-${THREAD}.jsonl`, content);
}

function expectBothMessages(): void {
  expect(outline(written.messages(THREAD))).toEqual(["user: a", "assistant: 1"]);
  const source = written.source(THREAD);
  const counted = written.read(THREAD);
  expect(counted.counts!()).toEqual(countMessages(counted.messages()));
  expect(history.summarize(source, written.env, written.notes)).toEqual(written.read(THREAD).head);
}

describe("damaged lines", () => {
  it.each([
    ["a last line cut in the middle", `${LINES.join("\n")}\n${OUTPUT.slice(0, -9)}`, 1],
    ["a line cut and the next one written behind it", [...LINES, OUTPUT.slice(0, 99) + LINES[2]!].join("\n"), 1],
    ["a block of zeros before a record", LINES.join(`\n${"\0".repeat(4096)}`), 0],
    ["a block of zeros within a record", [...LINES, OUTPUT.replace("x{}", "x\0\0{}")].join("\n"), 1],
    ["Windows line ends, blank lines and a byte order mark", `\uFEFF${LINES.join("\r\n\r\n")}\r\n`, 0],
    ["lines that are no records", [LINES[0], "garbage", "[1,2]", '"text"', ...LINES.slice(1)].join("\n"), 3],
    ["a lone surrogate", `${LINES.join("\n")}\n{"timestamp":"\\ud800","type":"world_state","payload":{}}`, 0],
  ])("%s", (_, content, damaged) => {
    write(content);
    const notes = new ReadNotes();
    history.read(written.source(THREAD), written.env, notes);
    expect(notes.damagedLines).toBe(damaged);
    expectBothMessages();
  });

  it("that only look complete count the same with and without messages", () => {
    // Cut inside a string that ends in a brace: only parsing can detect it.
    write([...LINES, OUTPUT.slice(0, OUTPUT.indexOf("x{}") + 3)].join("\n").concat("\n"));
    const counted = written.read(THREAD);
    expect(counted.counts!()).toEqual(countMessages(counted.messages()));
  });

  it("of an unknown type are reported as unknown", () => {
    write([...LINES, JSON.stringify(at.line("event_msg", { type: "brand_new" })), '{"a":1}'].join("\n"));
    history.read(written.source(THREAD), written.env, written.notes);
    expect([...written.notes.unknownTypes]).toEqual([
      ["event_msg/brand_new", 1],
      ["record without a type", 1],
    ]);
    expectBothMessages();
  });

  it("with fields of the wrong type lose only those fields", () => {
    const broken = [
      { timestamp: 5, type: "session_meta", payload: { id: 7, cwd: [], git: "x", source: 3, history_base: "y" } },
      { timestamp: "yesterday", type: "turn_context", payload: { model: 12 } },
      { timestamp: START, type: "event_msg", payload: { type: "item_completed", item: null } },
      { timestamp: START, type: "event_msg", payload: { type: "token_count", info: { total_token_usage: [] } } },
      { timestamp: START, type: "response_item", payload: { type: "function_call" } },
      { timestamp: START, type: "response_item", payload: { type: "function_call_output", output: 5 } },
      { timestamp: START, type: "compacted", payload: null },
    ];
    write([...broken.map((record) => JSON.stringify(record)), ...LINES.slice(1)].join("\n"));
    const roles = written.messages(THREAD).map((message) => message.role);
    expect(roles).toEqual(["assistant", "tool", "system", "user", "assistant"]);
    const counted = written.read(THREAD);
    expect(counted.counts!()).toEqual(countMessages(counted.messages()));
  });
});

describe("files", () => {
  it.each([
    ["empty ones", ""],
    ["blank ones", "\n\n \n"],
    ["ones with a header only", `${LINES[0]!}\n`],
  ])("without a conversation are no sessions: %s", (_, content) => {
    write(content);
    const source = written.source(THREAD);
    expect(history.read(source, written.env, written.notes)).toBeUndefined();
    expect(history.read(source, written.env, written.notes)).toBeUndefined();
    expect(history.summarize(source, written.env, written.notes)).toBeUndefined();
    expect(written.notes.skippedCount).toBe(0);
  });

  it.each([
    ["nothing can be read", "nothing of this is JSON\n".repeat(9)],
    ["nothing has a known shape", '{"hello":"world"}\n{"type":"hologram","payload":{}}\n'],
  ])("where %s are a parse error, and skipped in lists", (_, text) => {
    const path = write(text);
    const source = written.source(THREAD);
    expect(() => history.read(source, written.env, written.notes)).toThrow(
      expect.objectContaining({ code: "PARSE_ERROR", message: `No Codex session record can be read from ${path}.` }),
    );
    const notes = new ReadNotes();
    expect(history.summarize(source, written.env, notes)).toBeUndefined();
    expect(notes.skipped.map((file) => file.path)).toContain(path);
  });

  it("that are a broken document are a parse error", () => {
    const id = "9cd602bb-6aa4-45b2-bbc7-b9a2d3461d77";
    written.write(`.codex/sessions/rollout-2025-05-01-${id}.json`, '{"session":{"id":"9cd602bb"},"items":[{"type"');
    expect(() => written.read(id)).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }));
    expect(history.summarize(written.source(id), written.env, written.notes)).toBeUndefined();
  });

  it("that vanish between listing and reading are a parse error", () => {
    const path = write(LINES.join("\n"));
    const source = written.source(THREAD);
    writeFileSync(`${path}.new`, "");
    written.remove();
    expect(() => history.read(source, written.env, written.notes)).toThrow(
      expect.objectContaining({ code: "PARSE_ERROR" }),
    );
    expect(history.summarize(source, written.env, written.notes)).toBeUndefined();
  });

  it("that are directories, or of another kind, are not listed", () => {
    mkdirSync(join(written.home, `.codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-${THREAD}.jsonl`), {
      recursive: true,
    });
    written.write(".codex/sessions/notes.txt", "x");
    written.write(".codex/sessions/config.json", "{}");
    expect(written.sources()).toEqual([]);
  });

  it("that grow while they are read give what was there", () => {
    const path = write(LINES.join("\n"));
    const reader = written.read(THREAD);
    writeFileSync(path, `${LINES.join("\n")}\n${JSON.stringify(at.prompt("more"))}\n`);
    expect(outline(reader.messages())).toEqual(["user: a", "assistant: 1", "user: more"]);
    truncateSync(path, 10);
    expect(outline(reader.messages())).toEqual([]);
  });
});

describe("compressed files", () => {
  const path = (): string =>
    join(written.home, `.codex/sessions/2026/11/15/rollout-2026-11-15T01-48-27-${PACKED}.jsonl.zst`);

  it("that are cut off give what comes before the cut, and say so", () => {
    cpSync(join(FIXTURES, "packed"), written.home, { recursive: true });
    truncateSync(path(), readFileSync(path()).length - 2000);
    const source = written.source(PACKED);
    const reader = history.read(source, written.env, written.notes)!;
    expect([...reader.messages()].map((message) => message.role)).toEqual(["user", "assistant"]);
    expect(reader.counts!()).toEqual(countMessages(reader.messages()));
    expect(written.notes.skipped.map((file) => file.path)).toContain(path());
  });

  it("that are not compressed at all are a parse error", () => {
    written.write(`.codex/sessions/rollout-x-${PACKED}.jsonl.zst`, LINES.join("\n"));
    expect(() => written.read(PACKED)).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }));
  });

  it("that ask for gigabytes of memory are refused", () => {
    // A frame header with the largest possible window.
    const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff]);
    written.write(`.codex/sessions/rollout-x-${PACKED}.jsonl.zst`, Buffer.concat([header, Buffer.alloc(64)]));
    expect(() => written.read(PACKED)).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }));
    expect(written.notes.skipped[0]!.reason).toMatch(/too much memory/);
  });
});

describe("the store", () => {
  it("is read without a trace, even if it is read-only", () => {
    cpSync(join(FIXTURES, "home"), written.home, { recursive: true });
    const before = treeHash(written.home);
    chmodSync(join(written.home, ".codex"), 0o555);
    for (const source of written.sources()) {
      history.summarize(source, written.env, written.notes);
      const reader = history.read(source, written.env, written.notes)!;
      for (const message of reader.messages()) expect(message.role).toBeDefined();
      expect(reader.raw()).toBeDefined();
    }
    chmodSync(join(written.home, ".codex"), 0o755);
    expect(treeHash(written.home)).toBe(before);
  });
});
