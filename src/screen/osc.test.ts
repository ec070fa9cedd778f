import { expect, test } from "vitest";
import {
  cleanTitle,
  NotificationAssembler,
  parseAgentStateOsc,
  parseOsc777,
  parseOsc9,
  parsePromptOsc,
  parseStatusOsc,
} from "./osc.ts";

test.each([
  ['{"label":"thinking","working":true}', { label: "thinking", working: true }],
  [
    '{"label":"tests: 3 failed","working":false,"error":true}',
    { label: "tests: 3 failed", working: false, error: true },
  ],
  ["{}", { label: "", working: false }],
  ["null", null],
  ['{"label":"a\\u001b[31mb\\nc"}', { label: "a[31mb c", working: false }],
  ["not json", undefined],
  ['{"label":5}', undefined],
  ["[]", undefined],
  [`{"label":"${"x".repeat(9000)}"}`, undefined],
])("OSC 7777 %j", (payload, expected) => {
  expect(parseStatusOsc(payload)).toEqual(expected);
});

// From real agents: shared/fixtures/*/pty.
test.each([
  ["state=idle:app=claude-code", { state: "idle" }],
  ["state=working:app=codex", { state: "working" }],
  ["state=blocked:app=codex:kind=permission", { state: "permission" }],
  ["state=blocked:app=x", { state: "waiting" }],
  [
    "state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBXcml0ZTogL2hvbWUvdXNlci9kZXYvc2hvcC1hcGkvQ0hBTkdFTE9HLm1k",
    { state: "permission", message: "approve Write: /home/user/dev/shop-api/CHANGELOG.md" },
  ],
  ["state=done:app=claude-code", { state: "done" }],
  ["state=clear", null],
  ["?", undefined],
  ["state=dancing", undefined],
  ["", undefined],
])("OSC 7501 %j", (payload, expected) => {
  expect(parseAgentStateOsc(payload)).toEqual(expected);
});

test.each([
  ["A", { mark: "prompt" }],
  ["B", { mark: "prompt" }],
  ["C", { mark: "running" }],
  ["D;0", { mark: "finished", exitCode: 0 }],
  ["D;127;x", { mark: "finished", exitCode: 127 }],
  ["D", { mark: "finished" }],
  ["Z", undefined],
])("OSC 133 %j", (payload, expected) => {
  expect(parsePromptOsc(payload)).toEqual(expected);
});

test("notifications of three kinds are parsed", () => {
  expect(parseOsc9("done\x07here")).toEqual({ title: "", body: "donehere" });
  expect(parseOsc9("4;3;50")).toBeUndefined();
  expect(parseOsc777("notify;Title;and; body")).toEqual({ title: "Title", body: "and; body" });
  expect(parseOsc777("other;x")).toBeUndefined();
  const assembler = new NotificationAssembler();
  expect(assembler.add("i=1:d=0:p=title;Half a ")).toBeUndefined();
  expect(assembler.add("i=1:d=0:p=title;title")).toBeUndefined();
  expect(assembler.add(`i=1:p=body:e=1;${Buffer.from("the body").toString("base64")}`)).toEqual({
    title: "Half a title",
    body: "the body",
  });
  expect(assembler.add(";simple")).toEqual({ title: "simple", body: "" });
});

test("titles lose what could harm a terminal or a list", () => {
  expect(cleanTitle("a\x1b]0;b\x07\u202ec\n d")).toBe("a]0;bc d");
  expect(cleanTitle("x".repeat(10_000))).toHaveLength(200);
});
