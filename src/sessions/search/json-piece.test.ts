/** What is shown of a piece of a text is what is shown of all of it. */
import { expect, it } from "vitest";
import { randomFrom } from "../../../test/support/damaged-file.ts";
import { ByteScanner, ESCAPED } from "../../lib/byte-scan.ts";
import { asciiFinder, prepareScanner } from "./byte-probe.ts";
import { pieceAround } from "./json-piece.ts";
import { snippetInOrder, snippetOf } from "./places.ts";
import { SingleWord } from "./single-word.ts";

const PIECES = [
  ...["find", "Find", "finder", "pathFinder", "findAll", "x1find2", "fi", "a", "find\nfind", "\nfind", "\tfind"],
  ...[" ", " ", " ", " ", "\n", ".", '"', "\\", "→", "é", "ﬁ", "日本", "😀", "\ud83d", "…", "\u001b[32m", "\u0007"],
  ...[
    "x".repeat(70),
    " word".repeat(30),
    ' "quoted" '.repeat(20),
    "\n".repeat(90),
    "😀 ".repeat(50),
    "xyz".repeat(300),
  ],
];

it("wherever a word stands in a text", () => {
  const random = randomFrom(43);
  const scanner = new ByteScanner();
  prepareScanner(scanner);
  const word = new SingleWord({ steps: ["find"], prefix: false });
  const find = asciiFinder("find", scanner);
  let [pieces, cut] = [0, 0];
  for (let round = 0; round < 6000; round++) {
    const text = Array.from({ length: random(90) }, () => PIECES[random(PIECES.length)]!).join("");
    const json = Buffer.from(JSON.stringify(text));
    json.copy(scanner.bytes);
    scanner.close(json.length);
    const [start, end] = [1, json.length - 1];
    const place = find(start, end);
    expect(place).not.toBe(ESCAPED);
    const piece = place < 0 ? undefined : pieceAround(scanner.bytes, start, end, place, word);
    if (piece === undefined) continue;
    expect(snippetInOrder(piece.text, piece.stretches)).toEqual(snippetOf(text, word.in(text)));
    pieces++;
    if (piece.text.length < text.length) cut++;
  }
  expect(pieces).toBeGreaterThan(1000);
  expect(cut).toBeGreaterThan(500);
});
