import { describe, expect, it } from "vitest";
import { ByteScanner } from "./byte-scan.ts";

/** The bytes of a text at a place in the scanner, so that every alignment is tried. */
function fill(scanner: ByteScanner, text: string, at = 0): number {
  scanner.bytes.fill(0x2e, 0, at);
  const end = at + scanner.bytes.write(text, at);
  scanner.close(end);
  return end;
}

describe("a text in bytes", () => {
  it("is found at every place and in every alignment", () => {
    const scanner = new ByteScanner();
    for (const text of ["x", "ab", "needle", "n".repeat(70)]) {
      const needle = scanner.needle(Buffer.from(text));
      for (let at = 0; at < 200; at++) {
        const end = fill(scanner, `${text}…`, at);
        expect(needle.find(0, end), `${text} at ${at}`).toBe(at);
        expect(needle.find(at + 1, end)).toBe(-1);
      }
    }
  });

  it("is not found beyond the end, or half", () => {
    const scanner = new ByteScanner();
    const needle = scanner.needle(Buffer.from("needle"));
    const end = fill(scanner, "a haystack with a needle");
    expect(needle.find(0, end)).toBe(18);
    expect(needle.find(0, end - 1)).toBe(-1);
    expect(needle.find(0, fill(scanner, "need"))).toBe(-1);
    expect(needle.find(0, fill(scanner, ""))).toBe(-1);
  });

  it("agrees with a plain search in random bytes", () => {
    const scanner = new ByteScanner();
    let seed = 1;
    const next = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
    for (let round = 0; round < 300; round++) {
      const hay = Buffer.from(Array.from({ length: 400 }, () => 97 + Math.floor(next() * 3)));
      const text = Buffer.from(Array.from({ length: 1 + Math.floor(next() * 7) }, () => 97 + Math.floor(next() * 3)));
      hay.copy(scanner.bytes);
      scanner.close(hay.length);
      const places: number[] = [];
      const needle = scanner.needle(text);
      // Any place is good, but none may be missed by going on behind the last one.
      for (let at = needle.find(0, hay.length); at !== -1; at = needle.find(at + 1, hay.length)) places.push(at);
      expect(places.length > 0).toBe(hay.includes(text));
      for (const place of places) expect(hay.subarray(place, place + text.length).equals(text)).toBe(true);
    }
  });

  it("is found in either case when asked so, and only then", () => {
    const scanner = new ByteScanner();
    const end = fill(scanner, "Error TS2345 @[`{");
    expect(scanner.needle(Buffer.from("ERROR")).find(0, end)).toBe(-1);
    expect(scanner.needle(Buffer.from("ERROR"), { ignoreCase: true }).find(0, end)).toBe(0);
    expect(scanner.needle(Buffer.from("ts2345"), { ignoreCase: true }).find(0, end)).toBe(6);
    // Not letters, though they differ by the same bit.
    expect(scanner.needle(Buffer.from("`["), { ignoreCase: true }).find(0, end)).toBe(-1);
  });
});

describe("a loose place", () => {
  const scanner = new ByteScanner();
  scanner.setFoldable([
    [0xc0, 0x17f],
    [0x300, 0x36f],
    [0xfb00, 0xfb06],
    [0xff10, 0xff5a],
    [0x1d400, 0x1d7ff],
  ]);
  const cafe = scanner.needle(Buffer.from("cafe"), { ignoreCase: true, loose: true });
  const file = scanner.needle(Buffer.from("file"), { ignoreCase: true, loose: true });

  it.each(["café", "Çafe", "cáFe", "ca\u0302fe", "cafe\u0301", "ｃａｆｅ", "𝐜𝐚𝐟𝐞", "decaféine", "cåfé"])(
    "is found in %s",
    (text) => {
      for (let at = 0; at < 80; at++) expect(cafe.find(0, fill(scanner, `- ${text} -`, at))).not.toBe(-1);
    },
  );

  it("is where a character can stand for several letters", () => {
    expect(file.find(0, fill(scanner, "a ﬁle"))).toBe(2);
    expect(scanner.isLoose).toBe(true);
  });

  it.each(["caf—", "c→fe", "ca fé", "кафе", "検索", "caf😀", "cofé", "café".slice(1)])("is not in %s", (text) => {
    for (let at = 0; at < 80; at++) expect(cafe.find(0, fill(scanner, `- ${text} -`, at))).toBe(-1);
  });
});
