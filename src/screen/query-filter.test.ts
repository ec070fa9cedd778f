import { expect, test } from "vitest";
import { QueryFilter } from "./query-filter.ts";

function filtered(text: string, pieceBytes = 1000): string {
  const filter = new QueryFilter();
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(filter.push(bytes.subarray(at, at + pieceBytes)));
  return Buffer.concat(pieces).toString("utf8");
}

const QUESTIONS = [
  "\x1b[c",
  "\x1b[0c",
  "\x1b[>c",
  "\x1b[=c",
  "\x1b[5n",
  "\x1b[6n",
  "\x1b[?6n",
  "\x1b[?996n",
  "\x1b[?2026$p",
  "\x1b[4$p",
  "\x1b[>q",
  "\x1b[>0q",
  "\x1b[?u",
  "\x1b[14t",
  "\x1b[18t",
  "\x1b]10;?\x07",
  "\x1b]11;?\x1b\\",
  "\x1b]4;7;?\x07",
  "\x1b]52;c;?\x07",
  "\x1b]7501;?\x1b\\",
  "\x1bP$qm\x1b\\",
  "\x1bP+q544e\x1b\\",
];

const NOT_QUESTIONS = [
  "plain é結🚀",
  "\x1b[31m",
  "\x1b[2J",
  "\x1b[?1049h",
  "\x1b[>1u",
  "\x1b[<u",
  "\x1b[2 q",
  "\x1b[8;24;80t",
  "\x1b[22;0t",
  "\x1b]0;title?\x07",
  "\x1b]8;;https://a.example/?\x1b\\",
  "\x1b]52;c;aGVsbG8=\x07",
  "\x1b]11;#ffffff\x07",
  "\x1b(0",
  "\x1b7",
  "\x1bM",
  `\x1b]1337;File=:${"A".repeat(2000)}\x07`,
  `\x1bPq${"#0".repeat(500)}\x1b\\`,
];

test.each([1, 2, 3, 5, 1000])("queries are removed, everything else stays, in chunks of %i bytes", (pieceBytes) => {
  const parts = QUESTIONS.flatMap((question, at) => [NOT_QUESTIONS[at % NOT_QUESTIONS.length] ?? "", question]);
  const wanted = QUESTIONS.map((_, at) => NOT_QUESTIONS[at % NOT_QUESTIONS.length] ?? "").join("");
  expect(filtered(`${parts.join("")}end`, pieceBytes)).toBe(`${wanted}end`);
});

test("an escape at the end is held until its sequence is known", () => {
  const filter = new QueryFilter();
  expect(filter.push(Buffer.from("a\x1b")).toString()).toBe("a");
  expect(filter.push(Buffer.from("[6")).toString()).toBe("");
  expect(filter.push(Buffer.from("nb")).toString()).toBe("b");
});
