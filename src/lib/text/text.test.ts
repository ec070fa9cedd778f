import { describe, expect, it } from "vitest";
import { printableJson, wellFormedJson, titleFrom } from "./text.ts";

describe("JSON for other programs", () => {
  it("has no lone surrogates, which they reject", () => {
    const value = {
      title: "cut \ud83d",
      path: "\udc00x\ud800",
      whole: "😀",
      text: String.raw`C:\ud800 \\ud800`,
      line: "a\nb",
    };
    const json = wellFormedJson(JSON.stringify(value));
    expect(json).not.toMatch(/(?<!\\)\\ud/);
    expect(JSON.parse(json)).toEqual({ ...value, title: "cut \ufffd", path: "\ufffdx\ufffd" });
  });

  it("keeps pairs that are written as escapes", () => {
    expect(wellFormedJson(String.raw`"\ud83d\ude00 \uD83D\uDE00 \ud83d\ud83d\ude00"`)).toBe(
      String.raw`"\ud83d\ude00 \uD83D\uDE00 ${"\ufffd"}\ud83d\ude00"`,
    );
  });

  it("moves no cursor, and is the same value", () => {
    const value = { title: "\u009b31m\u202e\u0007" };
    const json = printableJson(JSON.stringify(value));
    expect(json).toMatch(/^[ -~]+$/);
    expect(JSON.parse(json)).toEqual(value);
  });
});

it("a title from coloured output has no escapes and no remains of them", () => {
  expect(titleFrom("\u001b[32m✓\u001b[0m all \u001b[1;31mtests\u001b[m pass")).toBe("✓ all tests pass");
});
