import { expect, test } from "vitest";
import { PlainText } from "./plain-text.ts";

const OUTPUT =
  '\x1b[1;31mred\x1b[m\r\n\x1b]2;title\x07\x1b]7777;{"label":"x"}\x1b\\größe\r\n50 %\r100 %\r\n\x1b(B\x1b=\x1bP1$r0m\x1b\\\x07end\x1b[?25h\u009b31m';
const TEXT = "red\ngröße\n50 %\n100 %\nend31m";

test("output is shown as plain text, whatever sequences surround it", () => {
  expect(new PlainText().push(Buffer.from(OUTPUT))).toBe(TEXT);
});

test("output is the same wherever it is split", () => {
  const bytes = Buffer.from(OUTPUT);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const plain = new PlainText();
    expect(plain.push(bytes.subarray(0, cut)) + plain.push(bytes.subarray(cut))).toBe(TEXT);
  }
  const plain = new PlainText();
  expect([...bytes].map((byte) => plain.push(Buffer.of(byte))).join("")).toBe(TEXT);
});

test("a sequence without an end does not swallow all later output", () => {
  const plain = new PlainText();
  plain.push(Buffer.from(`\x1b]0;${"x".repeat(70_000)}`));
  expect(plain.push(Buffer.from("back\r\n"))).toBe("back\n");
});
