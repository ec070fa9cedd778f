import { describe, expect, it } from "vitest";
import { fold, MAX_WORD, positionsOf, stepsOf } from "./words.ts";

const forms = (text: string): string[][] => Array.from(positionsOf(text), (position) => position.forms);

describe("words", () => {
  it("are runs of letters and digits, whatever separates them", () => {
    expect(forms("ERR_MODULE_NOT_FOUND at src/lib/byte-scan.ts:12")).toEqual([
      ["err"],
      ["module"],
      ["not"],
      ["found"],
      ["at"],
      ["src"],
      ["lib"],
      ["byte"],
      ["scan"],
      ["ts"],
      ["12"],
    ]);
  });

  it("include the parts of an identifier", () => {
    expect(forms("parseHTTPHeader")).toEqual([["parsehttpheader", "parse", "http", "header"]]);
    expect(forms("base64Encode XMLHttpRequest")).toEqual([
      ["base64encode", "base64", "encode"],
      ["xmlhttprequest", "xml", "http", "request"],
    ]);
    expect(forms("TS23 7F3A utf8 README eMail")).toEqual([["ts23"], ["7f3a"], ["utf8"], ["readme"], ["email", "mail"]]);
  });

  it("include the letters and the digits of a code", () => {
    expect(forms("TS2345 E0308 ORA01555 HTTP500 CVE-2024-12345")).toEqual([
      ["ts2345", "ts", "2345"],
      ["e0308", "0308"],
      ["ora01555", "ora", "01555"],
      ["http500", "http", "500"],
      ["cve"],
      ["2024"],
      ["12345"],
    ]);
    // Sizes, versions, names, hashes, keys.
    const others = ["SHA1", "A12", "ts2345", "Ts2345", "FOOBAR123", "AB12CD345", "TS2345x", "É2345", "TSÉ345"];
    for (const word of [...others, `AB${"1".repeat(63)}`]) expect(forms(word)[0], word).toHaveLength(1);
  });

  it("are the same with and without case, diacritics and compatibility forms", () => {
    for (const [a, b] of [
      ["Café", "cafe"],
      ["Cafe\u0301", "cafe"],
      ["ｆｕｌｌ", "full"],
      ["ﬁle", "file"],
      ["Straße", "strasse"],
      ["STRAẞE", "strasse"],
      ["ılık", "ilik"],
      ["Łódź", "lodz"],
      ["Smørrebrød", "smorrebrod"],
      ["Đường", "duong"],
      ["ŒUVRE", "oeuvre"],
      ["ΟΔΟΣ", "οδοσ"],
      ["οδος", "οδοσ"],
      ["İstanbul", "istanbul"],
      ["naïve", "naive"],
      ["Ñandú", "nandu"],
    ] as const) {
      expect(forms(a)).toEqual([[b]]);
    }
  });

  it("keep the vowel signs of scripts that use them", () => {
    expect(fold("हिन्दी")).toBe("हिन्दी".normalize("NFC"));
  });

  it("split texts without spaces into characters and pairs", () => {
    expect(forms("検索API")).toEqual([["検", "検索"], ["索"], ["api"]]);
    expect(forms("ｶﾞｽ")).toEqual([["ガ", "ガス"], ["ス"]]);
    expect(forms("한글".normalize("NFD"))).toEqual([["한", "한글"], ["글"]]);
    expect(forms("𠀋文")).toEqual([["𠀋", "𠀋文"], ["文"]]);
  });

  it("have their position", () => {
    const text = "→ parse 検索\u{1f600}x";
    expect(Array.from(positionsOf(text), ({ start, end }) => text.slice(start, end))).toEqual([
      "parse",
      "検",
      "索",
      "x",
    ]);
  });

  it("are cut when no one could have typed them", () => {
    const long = "A".repeat(MAX_WORD) + "bC";
    expect(forms(long)).toEqual([["a".repeat(MAX_WORD)]]);
    expect(stepsOf(long)).toEqual(["a".repeat(MAX_WORD)]);
  });

  it("do not include punctuation, emoji, lone surrogates and lone marks", () => {
    expect(forms("-> && \u{1f600}\u200d\u{1f525} \ud800 \u0301 ™ …")).toEqual([]);
  });
});

describe("the terms of a query", () => {
  it("are whole runs", () => {
    expect(stepsOf("getUserName")).toEqual(["getusername"]);
    expect(stepsOf("src/lib/Byte-Scan.ts")).toEqual(["src", "lib", "byte", "scan", "ts"]);
  });

  it("are pairs in a text without spaces", () => {
    expect(stepsOf("検")).toEqual(["検"]);
    expect(stepsOf("検索機能")).toEqual(["検索", "索機", "機能"]);
  });

  it("are at consecutive positions of their source text", () => {
    for (const text of ["検索 API 機能 x", "foo検索", "検x索引y", "a.b_C"]) {
      const positions = Array.from(positionsOf(text), (position) => position.forms);
      for (const [index, step] of stepsOf(text).entries()) expect(positions[index]).toContain(step);
    }
  });
});
