/** Records with which OpenClaw moves within a transcript, beyond those of Pi. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { SessionMessage } from "../../core/session.ts";
import { madeHome } from "../../../test/support/agents/made-home.ts";
import { FIXTURES, openHome } from "../../../test/support/agents/openclaw-homes.ts";

const SESSIONS = ".openclaw/agents/main/sessions";
const demo = readFileSync(join(FIXTURES, "home-2026.5.7", SESSIONS, "demo-1.jsonl"), "utf8");
const LAST = (JSON.parse(demo.trimEnd().split("\n").at(-1)!) as { id: string }).id;
const AT = "2026-11-15T05:00:00.000Z";

let home: string;

beforeEach(() => {
  home = madeHome().home;
});

/** The recorded conversation of two messages, followed by these records. */
function messagesAfter(...records: object[]): SessionMessage[] {
  mkdirSync(join(home, SESSIONS), { recursive: true });
  const lines = records.map((record) => `${JSON.stringify({ timestamp: AT, ...record })}\n`);
  writeFileSync(join(home, SESSIONS, "demo-1.jsonl"), demo + lines.join(""));
  const opened = openHome(home);
  const messages = opened.messages("demo-1");
  expect([...opened.notes.unknownTypes.keys()]).toEqual([]);
  return messages;
}

const said = (id: string, parentId: string | null, content: string): object => ({
  type: "message",
  id,
  parentId,
  message: { role: "user", content },
});

describe("a leaf record", () => {
  it("without a target leaves an empty conversation", () => {
    expect(messagesAfter({ type: "leaf", id: "l1", parentId: LAST, targetId: null })).toEqual([]);
  });

  it("is bypassed by the messages after it", () => {
    const messages = messagesAfter(
      said("m1", LAST, "taken back"),
      { type: "leaf", id: "l1", parentId: "m1", targetId: LAST },
      said("m2", "l1", "said instead"),
    );
    expect(messages.map(({ content }) => content).slice(2)).toEqual(["said instead"]);
  });
});

describe("an entry written beside the conversation", () => {
  it("does not become its end", () => {
    const messages = messagesAfter({ ...said("s1", null, "aside"), appendMode: "side" });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });
});

describe("a reset inside a transcript", () => {
  it("is shown between the messages before and after it", () => {
    const messages = messagesAfter({ type: "reset", id: "r1", parentId: LAST }, said("m1", "r1", "Hello again"));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "system", "user"]);
  });
});

describe("a command", () => {
  it("lasted as long as OpenClaw measured", () => {
    const calls = openHome(join(FIXTURES, "home"))
      .messages("57e95e85-24bb-46c3-b281-08e19c2cfacf")
      .flatMap((message) => message.toolCalls ?? []);
    expect(calls.find(({ toolCallId }) => toolCallId === "toolu_0010zoo")).toMatchObject({
      toolName: "exec",
      durationMs: 2328,
    });
  });
});
