import { expect, test } from "vitest";
import { encodeKey, encodeMouse, encodePaste } from "./key-encoding.ts";
import type { InputEvent } from "./input-event.ts";
import { InputParser } from "./input-parser.ts";
import { characterKey, key, nameOf, normalKey } from "./key.ts";

function parsed(...pieces: (string | Buffer)[]): InputEvent[] {
  const events: InputEvent[] = [];
  const parser = new InputParser((event) => events.push(event));
  for (const piece of pieces) parser.push(typeof piece === "string" ? Buffer.from(piece) : piece);
  parser.close();
  return events;
}

function keys(...pieces: (string | Buffer)[]): string[] {
  return parsed(...pieces).map((event) => (event.type === "key" ? nameOf(event.key) : event.type));
}

test.each([
  ["abc", ["a", "b", "c"]],
  ["A", ["shift+a"]],
  ["ß日", ["ß", "日"]],
  ["\x02", ["ctrl+b"]],
  ["\x1b[98;5u", ["ctrl+b"]],
  ["\r\t\x7f ", ["enter", "tab", "backspace", "space"]],
  ["\x1bh\x1b-\x1b\\", ["alt+h", "alt+-", "alt+\\"]],
  ["\x1b[A\x1bOA\x1b[1;5C", ["up", "up", "ctrl+right"]],
  ["\x1b[5~\x1b[3;2~\x1b[15~\x1bOP", ["pageup", "shift+delete", "f5", "f1"]],
  ["\x1b[Z", ["shift+tab"]],
  ["\x1b[13;2u", ["shift+enter"]],
  ["\x1b[97;1:3u", []],
  ["\x1b[104;3u", ["alt+h"]],
  ["\x1b[27;5;13~", ["ctrl+enter"]],
  ["\x1b[I\x1b[O", ["focus", "focus"]],
  ["\x1b[?62;22c\x1b]11;rgb:0/0/0\x1b\\", ["answer", "answer"]],
  ["\x00", ["ctrl+space"]],
])("%j", (typed, wanted) => {
  expect(keys(typed)).toEqual(wanted);
  // Split anywhere, it means the same.
  expect(keys(...Array.from(Buffer.from(typed), (byte) => Buffer.from([byte])))).toEqual(wanted);
});

test("a lone Escape is recognised after a moment", async () => {
  const events: InputEvent[] = [];
  const parser = new InputParser((event) => events.push(event));
  await new Promise<void>((resolve) => {
    const watching = new InputParser((event) => {
      events.push(event);
      resolve();
    });
    watching.push(Buffer.from("\x1b"));
  });
  parser.close();
  expect(events).toEqual([{ type: "key", key: key("esc") }]);
});

test("pasted text is one event, whatever it contains and however it is split", () => {
  const text = `line one\nline two \x1b[A 日本 ${"x".repeat(100_000)}`;
  const bytes = Buffer.from(`a\x1b[200~${text}\x1b[201~b`);
  for (const size of [1000, 7, bytes.length]) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
    const events = parsed(...pieces);
    expect(events).toHaveLength(3);
    expect(events[1]).toEqual({ type: "paste", text });
  }
});

test("mouse reports are parsed", () => {
  const [press, drag, release, wheel] = parsed("\x1b[<0;5;7M\x1b[<32;6;7M\x1b[<0;6;7m\x1b[<65;1;1M");
  expect(press).toMatchObject({ action: "press", button: 0, x: 4, y: 6 });
  expect(drag).toMatchObject({ action: "move", button: 0, x: 5, y: 6 });
  expect(release).toMatchObject({ action: "release", button: 0 });
  expect(wheel).toMatchObject({ action: "wheel-down", x: 0, y: 0 });
});

test("keys go to a program in the encoding it asked for", () => {
  const old = { applicationCursor: false, kitty: 0 };
  expect(encodeKey(key("up"), old)).toBe("\x1b[A");
  expect(encodeKey(key("up"), { ...old, applicationCursor: true })).toBe("\x1bOA");
  expect(encodeKey(key("up", { ctrl: true }), { ...old, applicationCursor: true })).toBe("\x1b[1;5A");
  expect(encodeKey(key("b", { ctrl: true }), old)).toBe("\x02");
  expect(encodeKey(key("b", { ctrl: true }), { ...old, kitty: 1 })).toBe("\x1b[98;5u");
  expect(encodeKey(key("enter", { shift: true }), { ...old, kitty: 1 })).toBe("\x1b[13;2u");
  expect(encodeKey(key("enter", { shift: true }), old)).toBe("\r");
  expect(encodeKey(key("enter"), { ...old, kitty: 1 })).toBe("\r");
  expect(encodeKey(key("esc"), { ...old, kitty: 1 })).toBe("\x1b[27u");
  expect(encodeKey(characterKey("Q"), { ...old, kitty: 1 })).toBe("Q");
  expect(encodeKey(characterKey("日"), old)).toBe("日");
  expect(encodeKey(characterKey(" "), old)).toBe(" ");
  expect(encodeKey(characterKey("x", true), old)).toBe("\x1bx");
});

test("typed bytes reach a plain program unchanged", () => {
  const typed = "aZ9 \x01\x1a\r\t\x7f\x1b[A\x1b[3~\x1bOP\x1b[15~\x1bx\x1b[1;5D";
  const sent = parsed(typed)
    .map((event) => (event.type === "key" ? encodeKey(event.key, { applicationCursor: false, kitty: 0 }) : ""))
    .join("");
  expect(sent).toBe(typed);
});

test("mouse events go to a program in its encoding, and only if it asked for them", () => {
  const [press, move, release] = parsed("\x1b[<0;5;7M\x1b[<35;6;7M\x1b[<0;6;7m");
  if (press?.type !== "mouse" || move?.type !== "mouse" || release?.type !== "mouse") throw new Error("no mouse");
  expect(encodeMouse(press, 2, 3, { tracking: 1000, encoding: "sgr" })).toBe("\x1b[<0;3;4M");
  expect(encodeMouse(release, 2, 3, { tracking: 1000, encoding: "sgr" })).toBe("\x1b[<0;3;4m");
  expect(encodeMouse(press, 2, 3, { tracking: 1000, encoding: "old" })).toBe("\x1b[M #$");
  expect(encodeMouse(move, 2, 3, { tracking: 1002, encoding: "sgr" })).toBe("");
  expect(encodeMouse(move, 2, 3, { tracking: 1003, encoding: "sgr" })).toBe("\x1b[<35;3;4M");
  expect(encodeMouse(press, 2, 3, { tracking: 0, encoding: "sgr" })).toBe("");
});

test("a paste cannot end its own brackets", () => {
  expect(encodePaste("a\nb", false)).toBe("a\rb");
  expect(encodePaste("a\x1b[201~rm\n", true)).toBe("\x1b[200~arm\r\x1b[201~");
});

test("key names have one spelling", () => {
  expect(["Alt+H", "C-b", "shift+T", "alt+-", "alt+\\", "PgUp", "]", "`", "A", "ctrl+alt+x"].map(normalKey)).toEqual([
    "alt+shift+h",
    "ctrl+b",
    "shift+t",
    "alt+-",
    "alt+\\",
    "pageup",
    "]",
    "`",
    "shift+a",
    "ctrl+alt+x",
  ]);
  expect(normalKey("hyper+x")).toBeUndefined();
});
