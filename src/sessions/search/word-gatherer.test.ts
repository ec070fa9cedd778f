import { describe, expect, it } from "vitest";
import { BlockReader, eachRow } from "./word-block.ts";
import { WordGatherer } from "./word-gatherer.ts";
import { positionsOf } from "./words.ts";

const TEXTS = [
  "parseHTTPHeader in src/lib/Byte-Scan.ts: ERR_MODULE_NOT_FOUND at 12:34, A1b2C3",
  `TS2345 E0308 A1 AB123 ABCDE123 ABCDEF123 TS23 AB12C345 Ts2345 X123y TSé345 É2345 Z${"9".repeat(63)} Z${"9".repeat(64)}`,
  "parsehttp parseHTTP ParseHttp PARSEHTTP parseHTTP ts2345 TS2345 Ts2345",
  "xAxis eMail iPhone OK IDs userID UTF8Decoder base64Encode X Xy aB",
  "Café cafe\u0301 ｆｕｌｌ naïveParser Straße ΟΔΟΣ İstanbul Привет a→b «zitat» nb\u00a0sp end…",
  "全文検索API 한국어 ｶﾞｽ 検、索。 ok",
  `${"A".repeat(64)} ${"aB".repeat(33)} ${"é".repeat(70)} ${"b".repeat(65)}`,
  "-> && \u{1f600} ™ \ud800 x\u{1f600}y",
  Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(" "),
  `${"lorem ipsum ".repeat(60_000)}tail`,
];

/** Rows by word. */
function contents(gatherer: WordGatherer): Map<string, number[]> {
  const found = new Map<string, number[]>();
  const word = Buffer.alloc(1024);
  for (const block of gatherer.blocks()) {
    const reader = new BlockReader(block);
    while (reader.next()) {
      word.set(block.subarray(reader.start, reader.end), reader.shared);
      const rows: number[] = [];
      eachRow(block, reader.rowsStart, reader.rowsEnd, (row) => rows.push(row));
      found.set(word.toString("utf8", 0, reader.shared + reader.end - reader.start), rows);
    }
  }
  return found;
}

describe("the words of passages", () => {
  it("are the forms of all their positions, each once in a row", () => {
    const gatherer = new WordGatherer();
    const expected = new Map<string, number[]>();
    let row = 1;
    for (const text of [...TEXTS, ...TEXTS]) {
      gatherer.startRow(row);
      const positions = [...positionsOf(text)];
      for (const form of new Set(positions.flatMap(({ forms }) => forms))) {
        expected.set(form, [...(expected.get(form) ?? []), row]);
      }
      expect(gatherer.add(text)).toBe(positions.length);
      gatherer.add(text);
      row += 300;
    }
    const found = contents(gatherer);
    expect([...found.keys()]).toEqual([...expected.keys()].sort((a, b) => Buffer.from(a).compare(Buffer.from(b))));
    expect(found).toEqual(expected);
  });

  it("are forgotten when they are cleared", () => {
    const gatherer = new WordGatherer();
    gatherer.startRow(1);
    gatherer.add("one two");
    gatherer.clear();
    gatherer.startRow(7);
    gatherer.add("two three");
    expect(contents(gatherer)).toEqual(
      new Map([
        ["three", [7]],
        ["two", [7]],
      ]),
    );
  });

  it("keep all rows of a word that is everywhere", () => {
    const gatherer = new WordGatherer();
    const rows = Array.from({ length: 50_000 }, (_, index) => 1 + index * 3);
    for (const row of rows) {
      gatherer.startRow(row);
      gatherer.add("everywhere");
    }
    expect(contents(gatherer)).toEqual(new Map([["everywhere", rows]]));
  });
});
