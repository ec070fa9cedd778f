import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { hasReceipt, transcriptMark } from "./receipt.ts";

function transcript(...records: object[]): string {
  const directory = mkdtempSync(join(tmpdir(), "amux-receipt-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "transcript.jsonl");
  writeFileSync(path, lines(...records));
  return path;
}

const lines = (...records: object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");

it.each([
  ["Claude Code", { type: "user", message: { role: "user", content: "go on\nplease" } }],
  [
    "Claude Code, in parts",
    { type: "user", message: { role: "user", content: [{ type: "text", text: "go on please" }] } },
  ],
  ["Codex", { type: "event_msg", payload: { type: "user_message", message: "go on\nplease\n" } }],
  ["Copilot", { type: "user.message", data: { content: "go on\nplease" } }],
  [
    "Grok Build",
    {
      method: "session/update",
      params: { update: { sessionUpdate: "user_message_chunk", content: { type: "text", text: "go on\nplease" } } },
    },
  ],
  ["Pi", { type: "message", message: { role: "user", content: [{ type: "text", text: "go on\nplease" }] } }],
])("finds a prompt as %s writes it", (_, record) => {
  const path = transcript({ type: "user", message: "earlier" });
  const mark = transcriptMark(path, 0);
  expect(hasReceipt(mark, path, "go on\r\nplease")).toBe(false);
  appendFileSync(path, lines(record));
  expect(hasReceipt(mark, path, "go on\r\nplease")).toBe(true);
});

it.each([
  ["for the model", { type: "user", message: { role: "user", content: "<command-name>/compact</command-name>" } }],
  [
    "for itself",
    {
      type: "system",
      subtype: "local_command",
      content: "<command-name>/compact</command-name>\n<command-args>keep the plan</command-args>",
      userType: "external",
    },
  ],
])("finds a command %s as Claude Code writes it", (_, record) => {
  const path = transcript();
  const mark = transcriptMark(path, 0);
  appendFileSync(path, lines(record));
  expect(hasReceipt(mark, path, "/compact keep the plan")).toBe(true);
});

it("takes the same words from before the prompt, or from the agent, for no receipt", () => {
  const path = transcript({ type: "user", message: { role: "user", content: "go on" } });
  const mark = transcriptMark(path, 0);
  appendFileSync(path, lines({ type: "assistant", message: { role: "assistant", content: "go on" } }));
  expect(hasReceipt(mark, path, "go on")).toBe(false);
});

it("takes only newer records of a transcript that was not known when the prompt was typed", () => {
  const at = Date.parse("2026-11-17T09:00:00Z");
  const said = (timestamp: string): object => ({ type: "user", timestamp, message: "go on" });
  const path = transcript(said("2026-11-17T08:00:00Z"));
  expect(hasReceipt({ at }, path, "go on")).toBe(false);
  appendFileSync(path, lines(said("2026-11-17T09:00:01Z")));
  expect(hasReceipt({ at }, path, "go on")).toBe(true);
  expect(hasReceipt({ at }, undefined, "go on")).toBe(false);
});

it.each([
  [
    "the result of a tool",
    { message: { role: "user", content: [{ type: "tool_result", content: [{ type: "text", text: "go on" }] }] } },
  ],
  [
    "what a tool printed",
    { toolUseResult: { stdout: "go on" }, message: { role: "user", content: [{ type: "tool_result", content: "" }] } },
  ],
  ["a text that a program added", { isMeta: true, message: { role: "user", content: "go on" } }],
  ["the prompt of a sub-agent", { isSidechain: true, message: { role: "user", content: "go on" } }],
  ["the directory's name", { cwd: "go on", message: { role: "user", content: "something else" } }],
])("takes %s, equal to the prompt, for no receipt", (_, record) => {
  const path = transcript();
  const mark = transcriptMark(path, 0);
  appendFileSync(path, lines({ type: "user", ...record }));
  expect(hasReceipt(mark, path, "go on")).toBe(false);
  appendFileSync(path, lines({ type: "user", message: { role: "user", content: "go on" } }));
  expect(hasReceipt(mark, path, "go on")).toBe(true);
});

it("takes an old record that was copied behind the mark for no receipt", () => {
  const at = Date.parse("2026-11-17T09:00:00Z");
  const path = transcript();
  const mark = transcriptMark(path, at);
  appendFileSync(path, lines({ type: "user", timestamp: "2026-11-16T09:00:00Z", message: "go on" }));
  expect(hasReceipt(mark, path, "go on")).toBe(false);
});

it("takes a record without a time for a receipt only behind the mark", () => {
  const path = transcript({ type: "user", message: "go on" });
  expect(hasReceipt({ at: 0 }, path, "go on")).toBe(false);
  const mark = transcriptMark(path, 0);
  appendFileSync(path, lines({ type: "user", message: "go on" }));
  expect(hasReceipt(mark, path, "go on")).toBe(true);
});
