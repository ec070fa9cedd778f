import { describe, expect, it } from "vitest";
import { PassageWords } from "./document.ts";
import { positionsOf } from "./words.ts";

const TEXTS = [
  "parseHTTPHeader in src/lib/Byte-Scan.ts: ERR_MODULE_NOT_FOUND at 12:34, A1b2C3",
  `TS2345 E0308 A1 AB123 ABCDE123 ABCDEF123 TS23 AB12C345 Ts2345 X123y TSé345 É2345 Z${"9".repeat(63)} Z${"9".repeat(64)}`,
  "parsehttp parseHTTP ParseHttp PARSEHTTP parseHTTP ts2345 TS2345 Ts2345",
  "xAxis eMail iPhone OK IDs userID UTF8Decoder base64Encode X Xy aB",
  "Café cafe\u0301 ｆｕｌｌ naïveParser Straße ΟΔΟΣ İstanbul Привет",
  "全文検索API 한국어 ｶﾞｽ 検",
  `${"A".repeat(64)} ${"aB".repeat(33)} ${"é".repeat(70)}`,
  "-> && \u{1f600} ™ \ud800",
  Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(" "),
];

describe("the words of a passage", () => {
  it("are the forms of all its positions, each once", () => {
    const words = new PassageWords();
    for (const text of TEXTS) {
      const positions = [...positionsOf(text)];
      const expected = new Set(positions.flatMap(({ forms }) => forms));
      expect(words.add(text)).toBe(positions.length);
      words.add(text);
      const taken = words.take();
      expect(taken === "" ? [] : taken.split(" ").sort()).toEqual([...expected].sort());
    }
    expect(words.take()).toBe("");
  });

  it("are those of all texts since the last passage", () => {
    const words = new PassageWords();
    words.add("one two");
    words.add("two three");
    expect(words.take()).toBe("one two three");
    words.add("two");
    expect(words.take()).toBe("two");
  });
});
