import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../test/support/damaged-file.ts";
import { MORE_TEXT, TEXT, VALUE } from "../../agents/text-message.ts";
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

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
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

  /** Adds the same in two ways; both must come to the same. */
  function expectRaw(what: number, json: Buffer, texts: readonly string[]): void {
    const [raw, plain] = [new WordGatherer(), new WordGatherer()];
    for (const gatherer of [raw, plain]) gatherer.startRow(1);
    let positions = 0;
    for (const text of texts) positions += plain.add(text);
    const bytes = Buffer.concat([Buffer.from("xyz"), json, Buffer.from("zyx")]);
    const added = raw.addRaw({ bytes, pieces: [what, 3, 3 + json.length] });
    const units = texts.reduce((sum, text) => sum + text.length, 0);
    expect(added).toEqual({ positions, units });
    expect(contents(raw)).toEqual(contents(plain));
  }

  it("are the same where they lie in JSON", () => {
    const ODD = [
      '"quoted" \\ back/slash',
      "tab\tline\nfeed\r\f\bend",
      "\u0000x\u001fy",
      "\ud83d\ude00 a\ud83db \udc00c",
      "",
    ];
    for (const text of [...TEXTS, ...ODD]) {
      const escaped = Array.from({ length: text.length }, (_, at) => escapeOf(text.charCodeAt(at))).join("");
      for (const json of [JSON.stringify(text).slice(1, -1), escaped]) expectRaw(TEXT, Buffer.from(json), [text]);
    }
    const value = { key: TEXTS, inner: [{ deep: ODD, number: 12, none: null, yes: true }], empty: {}, list: [] };
    for (const spaces of [0, 2])
      expectRaw(VALUE, Buffer.from(`${JSON.stringify(value, null, spaces)},"more":"later"}`), [...TEXTS, ...ODD]);
    for (const [json, texts] of [
      ['"alone","more":"later"', ["alone"]],
      ['12,"more":"later"', []],
      ["null}", []],
    ] as const)
      expectRaw(VALUE, Buffer.from(json), texts);
  });

  it("are those JavaScript reads where bytes are no UTF-8", () => {
    const random = randomFrom(5);
    for (let round = 0; round < 300; round++) {
      const bytes = Buffer.from(`one Café 全文 two \u{1f600} three ${"x".repeat(random(20))} Привет`);
      for (let change = 0; change < 3; change++) bytes[random(bytes.length)] = 0x80 + random(0x80);
      expectRaw(TEXT, bytes, [bytes.toString("utf8")]);
    }
  });

  it("leave out what is encoded, and what goes on with it", () => {
    const encoded = "QUJD".repeat(200);
    const added = (...pieces: [what: number, text: string][]): Map<string, number[]> => {
      const gatherer = new WordGatherer();
      gatherer.startRow(1);
      const bytes = Buffer.from(pieces.map(([, text]) => text).join(""));
      let at = 0;
      gatherer.addRaw({ bytes, pieces: pieces.flatMap(([what, text]) => [what, at, (at += text.length)]) });
      return contents(gatherer);
    };
    expect([...added([TEXT, encoded], [MORE_TEXT, "gone"], [TEXT, "there"]).keys()]).toEqual(["there"]);
    expect([...added([TEXT, "first"], [MORE_TEXT, encoded.slice(0, 8)]).keys()]).toEqual(["first", "qujdqujd"]);
    expect([...added([VALUE, JSON.stringify([`data:image/png;base64,${encoded}`, encoded, "there"])]).keys()]).toEqual([
      "there",
    ]);
    expect(added([VALUE, JSON.stringify([`data: none ${encoded}`])]).has("none")).toBe(true);
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
