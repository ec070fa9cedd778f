/** Prompts of the user, and texts the program sends in the user's name. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json } from "../../lib/json/fields.ts";
import { countMessages } from "../in-memory.ts";
import { history } from "./history.ts";
import { legacy, outline, uuidAt, WrittenHome } from "../../../test/support/agents/codex-home.ts";

let written: WrittenHome;
beforeEach(() => {
  written = new WrittenHome();
});
afterEach(() => written.remove());

const START = "2026-03-01T10:00:00.000Z";
const THREAD = uuidAt(START);
const morning = legacy(START);

/** Counts are the same with and without messages, from the ends and in full. */
function expectConsistent(): void {
  for (const source of written.sources()) {
    const reader = history.read(source, written.env, written.notes)!;
    expect(reader.counts!()).toEqual(countMessages(reader.messages()));
    expect(history.summarize(source, written.env, written.notes)).toEqual(reader.head);
  }
}

describe("prompts", () => {
  it("before the envelope are distinguished from what the program inserts", () => {
    const user = (text: string): Json => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
    written.rollout("7f6f2b0e-3d41-42ef-bf2d-127aaee03138", [
      { id: "7f6f2b0e-3d41-42ef-bf2d-127aaee03138", timestamp: "2025-08-20T10:00:00Z", instructions: "be brief" },
      user("<user_instructions>\nbe brief\n</user_instructions>"),
      user("<environment_context>\n  <cwd>/home/user/dev</cwd>\n</environment_context>"),
      { record_type: "state" },
      user("Which routes exist?"),
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Two." }] },
    ]);
    const { head } = written.read("7f6f2b0e-3d41-42ef-bf2d-127aaee03138");
    expect(head).toMatchObject({ title: "Which routes exist?", cwd: "/home/user/dev", usageUnknown: true });
    expect(written.messages("7f6f2b0e-3d41-42ef-bf2d-127aaee03138")).toHaveLength(2);
    expectConsistent();
  });

  it("are taken from items in files whose writer left the events out", () => {
    const items = [morning.userItem("<environment_context>x</environment_context>"), morning.userItem("Really?")];
    written.rollout(THREAD, [morning.meta(THREAD), ...items, morning.reply("Yes.")]);
    expect(outline(written.messages(THREAD))).toEqual(["user: Really?", "assistant: Yes."]);
    expectConsistent();
  });

  it.each([
    "<recommended_plugins>a</recommended_plugins>",
    "# AGENTS.md instructions for /home/user/shop\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>",
    '<codex_internal_context source="goal">x</codex_internal_context>',
    "<goal_context>x</goal_context>",
  ])("are not %s, and neither is the title", (inserted) => {
    written.rollout(THREAD, [
      morning.meta(THREAD),
      morning.userItem(inserted),
      morning.userItem("Really?"),
      morning.reply("Yes."),
    ]);
    expect(outline(written.messages(THREAD))).toEqual(["user: Really?", "assistant: Yes."]);
    expect(written.read(THREAD).head.title).toBe("Really?");
  });

  it("are not lost when they begin with the name of the file of instructions", () => {
    const prompt = "# AGENTS.md is out of date, please rewrite it";
    written.rollout(THREAD, [morning.meta(THREAD), morning.userItem(prompt), morning.reply("Done.")]);
    expect(outline(written.messages(THREAD))).toEqual([`user: ${prompt}`, "assistant: Done."]);
  });

  it("lose the text an editor puts before them", () => {
    const context = "# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nFix it\n";
    written.rollout(THREAD, [morning.meta(THREAD), morning.prompt(context), morning.reply("Done.")]);
    expect(outline(written.messages(THREAD))).toEqual(["user: Fix it", "assistant: Done."]);
  });

  it("are found behind hundreds of kilobytes of instructions", () => {
    const instructions = "x".repeat(300_000);
    written.rollout(THREAD, [
      morning.meta(THREAD, { base_instructions: { text: instructions } }),
      morning.line("response_item", { type: "message", role: "developer", content: [{ text: instructions }] }),
      morning.prompt("Found"),
      morning.reply("y".repeat(100_000)),
    ]);
    expect(history.summarize(written.source(THREAD), written.env, written.notes)!.title).toBe("Found");
    expectConsistent();
  });
});

describe("compaction of older versions", () => {
  it("shows the summary once, as a system message, and not as a reply", () => {
    written.rollout(THREAD, [
      morning.meta(THREAD),
      morning.prompt("Long talk"),
      morning.reply("Yes."),
      morning.count(100, 100),
      morning.reply("They talked."),
      morning.count(150, 50),
      morning.line("compacted", { message: "Another language model started to solve this: use it:\nThey talked." }),
      morning.line("event_msg", { type: "context_compacted" }),
      morning.prompt("Go on"),
      morning.reply("Gone."),
    ]);
    expect(outline(written.messages(THREAD))).toEqual([
      "user: Long talk",
      "assistant: Yes.",
      "system: They talked.",
      "user: Go on",
      "assistant: Gone.",
    ]);
    expect(written.usage(THREAD)).toHaveLength(2);
    expectConsistent();
  });
});

describe("replies", () => {
  it("of encrypted reasoning alone, left by an interruption, are not messages", () => {
    const reasoning = (summary: Json[]): Json =>
      morning.line("response_item", { type: "reasoning", summary, content: null, encrypted_content: "gAAAA" });
    const aborted = morning.line("event_msg", { type: "turn_aborted", reason: "interrupted" });
    written.rollout(THREAD, [
      morning.meta(THREAD),
      morning.prompt("a"),
      reasoning([]),
      aborted,
      morning.prompt("b"),
      reasoning([{ type: "summary_text", text: "Thinking." }]),
      aborted,
    ]);
    expect(outline(written.messages(THREAD))).toEqual([
      "user: a",
      "system: Interrupted by the user.",
      "user: b",
      "assistant: ",
      "system: Interrupted by the user.",
    ]);
    expect(written.messages(THREAD)[3]!.thinking).toBe("Thinking.");
    expectConsistent();
  });

  it("keep the calls of one request together and join each with its result", () => {
    const call = (call_id: string, name: string, fields: Json): Json =>
      morning.line("response_item", { type: "function_call", call_id, name, ...fields });
    const output = (call_id: string, value: unknown): Json =>
      morning.line("response_item", { type: "function_call_output", call_id, output: value });
    written.rollout(THREAD, [
      morning.meta(THREAD),
      morning.prompt("a"),
      call("c1", "shell", { arguments: '{"command":["ls"]}' }),
      call("c2", "exec_command", { arguments: '{"cmd":"fal' }),
      call("c3", "view_image", { arguments: "{}" }),
      morning.count(10, 10),
      output("c2", "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n"),
      output("c1", '{"output":"a.ts\\n","metadata":{"exit_code":0,"duration_seconds":1.5}}'),
      output("c3", [
        { type: "input_text", text: "seen" },
        { type: "input_image", image_url: "data:" },
      ]),
      morning.reply("Done."),
    ]);
    const messages = written.messages(THREAD);
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "tool", "tool", "assistant"]);
    expect(messages[1]!.toolCalls).toEqual([
      { toolCallId: "c1", toolName: "shell", input: { command: ["ls"] }, output: "a.ts\n", durationMs: 1500 },
      {
        toolCallId: "c2",
        toolName: "exec_command",
        input: '{"cmd":"fal',
        output: expect.stringMatching(/code 1/),
        durationMs: 0,
        isError: true,
      },
      { toolCallId: "c3", toolName: "view_image", input: {}, output: "seen\n[image]", durationMs: 0 },
    ]);
    expect(messages[2]!.toolResult).toMatchObject({ toolCallId: "c2", toolName: "exec_command", isError: true });
    expectConsistent();
  });
});
