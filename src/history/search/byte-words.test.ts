import { describe, expect, it } from "vitest";
import { ByteWords, FOLDING_MARKS } from "./byte-words.ts";
import { fold, RunFinder } from "./words.ts";

function mayBeIn(text: string, ...words: string[]): boolean {
  const missing = new Set(words);
  new ByteWords(words).takeFound(missing, Buffer.from(text));
  return missing.size === 0;
}

describe("a word in bytes", () => {
  it("is found in either case and inside of others", () => {
    expect(mayBeIn("an Error", "error")).toBe(true);
    expect(mayBeIn("Error TS2345", "ts2345")).toBe(true);
    expect(mayBeIn("reTRIes", "tri")).toBe(true);
    expect(mayBeIn("retry, or again", "retry", "again")).toBe(true);
    expect(mayBeIn("never, or again", "retry", "again")).toBe(false);
    expect(mayBeIn("re-try", "retry")).toBe(false);
  });

  it.each(["café", "Çafe", "cáFe", "ca\u0302fe", "cafe\u0301", "ｃａｆｅ", "𝐜𝐚𝐟𝐞", "decaféine", "cåfé"])(
    "is found in %s, wherever that is",
    (text) => {
      for (const before of [0, 1, 7, 1018, 1019, 1020, 1021, 1022, 1023, 1024, 3000])
        expect(mayBeIn(`${".".repeat(before)} ${text} -`, "cafe"), String(before)).toBe(true);
    },
  );

  it.each(["caf—", "c→fe", "ca fé", "кафе", "検索", "caf😀", "cofé", "afé"])("is not in %s", (text) => {
    expect(mayBeIn(`- ${text} -`, "cafe")).toBe(false);
  });

  it("is found where a character can stand for several letters", () => {
    expect(mayBeIn("a ﬁle", "file")).toBe(true);
    expect(mayBeIn("Große STRAßE", "strasse")).toBe(true);
  });

  it("is found by its own letters if it is not ASCII", () => {
    expect(mayBeIn("全文検索エンジン", "検索")).toBe(true);
    expect(mayBeIn("КАТАЛОГ", "каталог")).toBe(true);
    expect(mayBeIn("ｶﾞｽ", "ガス")).toBe(true);
    expect(mayBeIn("か\u3099す", "がす")).toBe(true);
    expect(mayBeIn("全文", "検索")).toBe(false);
  });

  it("is found where its letters are escaped", () => {
    expect(mayBeIn(String.raw`re\u0074ry`, "retry")).toBe(true);
    expect(mayBeIn(String.raw`\u0063\u0061f\u00E9`, "cafe")).toBe(true);
    expect(mayBeIn(String.raw`\u691c\u7d22`, "検索")).toBe(true);
    expect(mayBeIn(String.raw`\ud835\udc1caf\u00e9`, "cafe")).toBe(true);
    for (const other of [String.raw`\u001b[1m`, String.raw`\ud83d\ude00`, String.raw`C:\\users\\u0074`, "\\u"])
      expect(mayBeIn(other, "retry"), other).toBe(false);
  });

  it("is found where it begins with a backslash and a letter, and goes on with an escape", () => {
    expect(mayBeIn(String.raw`C:\\u0063af\u00e9`, "u0063afe")).toBe(true);
    expect(mayBeIn(String.raw`C:\\u001b\u0063`, "u001bc")).toBe(true);
    expect(mayBeIn(String.raw`C:\\u001\u0062`, "u001b")).toBe(true);
    expect(mayBeIn(String.raw`\u001b\u0072etry`, "retry")).toBe(true);
  });

  it("is looked for behind every character that can stand for an ASCII letter or for nothing", () => {
    const missing: string[] = [];
    for (const [character, folded] of foldedCharacters()) {
      if (folded !== "" && !/[a-z0-9]/.test(folded)) continue;
      const bytes = Buffer.from(character);
      if (!FOLDING_MARKS.some((mark) => bytes.indexOf(mark) === 0)) missing.push(character);
    }
    expect(missing).toEqual([]);
  });

  it("is found with every such character at its beginning, in it and at its end", () => {
    const lost: string[] = [];
    for (const [character, folded] of foldedCharacters()) {
      if (/[^a-z0-9]/.test(folded)) continue;
      for (const [before, after] of [
        ["", "azerty"],
        ["aze", "rty"],
        ["azerty", ""],
        ["a", character],
      ] as const)
        for (let place = 0; place < 6; place++)
          if (!mayBeIn(`${"-".repeat(place)}${before}${character}${after} -`, fold(`${before}${character}${after}`)))
            lost.push(`${before}${character}${after} (${folded})`);
    }
    expect(lost).toEqual([]);
  });

  it("is found if it is longer than what is looked at", () => {
    const long = "supercalifragilisticexpialidocious".repeat(2).slice(0, 64);
    expect(mayBeIn(`a ${long.toUpperCase()} b`, long)).toBe(true);
    expect(mayBeIn(`a ${long.replace("i", "í")} b`, long)).toBe(true);
    expect(mayBeIn(`a ${long.slice(0, 63)}- b`, long)).toBe(false);
  });
});

/** Every character that is a word's and not ASCII, with what it folds to. */
function* foldedCharacters(): Generator<[character: string, folded: string]> {
  const run = new RunFinder();
  for (let point = 0x80; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    run.reset(character);
    if (run.next()) yield [character, fold(character)];
  }
}
