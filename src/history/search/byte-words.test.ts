import { describe, expect, it } from "vitest";
import { ByteWords, ESCAPED, NOWHERE } from "./byte-words.ts";

function find(words: string[], text: string, from = 0): number {
  const bytes = Buffer.from(text);
  return new ByteWords(words).find(bytes, bytes.toString("latin1"), from);
}

describe("a word in bytes", () => {
  it("is found in either case, inside of others, and from an offset on", () => {
    expect(find(["error"], "an Error")).toBe(3);
    expect(find(["ts2345"], "Error TS2345")).toBe(6);
    expect(find(["tri"], "reTRIes, tri", 4)).toBe(9);
    expect(find(["retry", "again"], "never, or again")).toBe(10);
    expect(find(["retry"], "re-try")).toBe(NOWHERE);
  });

  it.each(["café", "Çafe", "cáFe", "ca\u0302fe", "cafe\u0301", "ｃａｆｅ", "𝐜𝐚𝐟𝐞", "decaféine", "cåfé"])(
    "is found in %s, wherever that is",
    (text) => {
      for (const before of [0, 1, 7, 1018, 1019, 1020, 1021, 1022, 1023, 1024, 3000])
        expect(find(["cafe"], `${".".repeat(before)} ${text} -`), String(before)).toBeGreaterThanOrEqual(before);
    },
  );

  it.each(["caf—", "c→fe", "ca fé", "кафе", "検索", "caf😀", "cofé", "afé"])("is not in %s", (text) => {
    expect(find(["cafe"], `- ${text} -`)).toBe(NOWHERE);
  });

  it("is found where a character can stand for several letters", () => {
    expect(find(["file"], "a ﬁle")).not.toBe(NOWHERE);
    expect(find(["strasse"], "Große STRAßE")).not.toBe(NOWHERE);
  });

  it("is found by its own letters if it is not ASCII", () => {
    expect(find(["検索"], "全文検索エンジン")).toBe(6);
    expect(find(["каталог"], "КАТАЛОГ")).not.toBe(NOWHERE);
    expect(find(["検索"], "全文")).toBe(NOWHERE);
  });

  it("cannot be ruled out by bytes after an escaped letter", () => {
    expect(find(["retry"], String.raw`re\u0074ry`)).toBe(ESCAPED);
    expect(find(["cafe"], String.raw`caf\u00e9`)).toBe(ESCAPED);
    expect(find(["retry"], String.raw`retry \u0074`)).toBe(0);
    for (const none of [String.raw`\u001b[1m`, String.raw`\u2014`, String.raw`\ud83d\ude00`, String.raw`\u003c`])
      expect(find(["retry"], none), none).toBe(NOWHERE);
    expect(find(["retry"], String.raw`C:\\users\\u0074`)).toBe(NOWHERE);
    expect(find(["retry"], String.raw`C:\\\u0074`)).toBe(ESCAPED);
  });
});
