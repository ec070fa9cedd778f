/** A scanner that has met lines of a shape before says of the next one what one says that meets it for the first time. */
import { describe, expect, it } from "vitest";
import { damaged, randomFrom, type Random } from "../../test/support/damaged-file.ts";
import type { JsonLinesExports } from "./json-lines-exports.ts";
import { DAMAGED, JsonLines, ODD, STRING } from "./json-lines.ts";
import type { FieldSpec } from "./json-line-paths.ts";

const FIELDS: FieldSpec[] = [
  { path: "type", as: "word" },
  { path: "uuid", as: "id" },
  { path: "at", as: "time" },
  { path: "side" },
  { path: "count" },
  { path: "message.id", as: "id" },
  { path: "message.model", as: "word" },
  { path: "message.content" },
  { path: "message.usage", as: "figures" },
  { path: "message.usage.input" },
  { path: "message.usage.tier", as: "word" },
  { path: "message.usage.last" },
  { path: "message.content[].type", as: "word" },
  { path: "message.content[].id", as: "id" },
];
const PLAIN = FIELDS.filter(({ path }) => !path.includes("[]"));
const ITEM_FIELDS = FIELDS.filter(({ path }) => path.includes("[]"));
const LETTERS = ["a", "z", "0", " ", "-", "é", "✓", "\\n", '\\"', "\\\\", "\\u001b", "\\/", "\\r"];
const BROKEN = ["\\q", "\\u00g0", "\t", '"', "\u0000", "\\"];

class Scan extends JsonLines<JsonLinesExports & { next(): number }> {
  constructor() {
    super(FIELDS);
  }

  /** All that is known of the next line. */
  tell(): unknown {
    const state = this.advance(this.exports.next);
    if (state === DAMAGED || state === ODD || state === 0) return { state, line: state && this.line().toString() };
    const fields = PLAIN.map(({ path, as }) => {
      const field = this.field(path);
      const kind = this.kind(field);
      if (as === "word") return [path, kind, this.word(field)];
      if (as === "id" && kind === STRING)
        return [path, this.text(field), this.id(field) === this.idOf(this.text(field))];
      return [path, kind, this.text(field), this.number(field)];
    });
    const items = Array.from({ length: this.items }, (_, item) =>
      ITEM_FIELDS.map(({ path, as }) => {
        const place = this.itemPlace(item, this.field(path));
        const [kind, start, end] = [this.ints[place]!, this.ints[place + 1]!, this.ints[place + 2]!];
        if (kind !== STRING) return [path, kind, end - start];
        const text = this.stringAt(start, end - start);
        const isItself = this.itemId(item, this.field(path)) === (as === "id" ? this.idOf(text) : this.wordId(text));
        return [path, text, isItself];
      }),
    );
    return { state, line: this.line().toString(), fields, items };
  }
}

function textOf(random: Random, longest: number): string {
  let text = "";
  for (let left = random(longest); left > 0; left--)
    text += random(4) === 0 ? LETTERS[random(13)]! : "abcdefgh"[left & 7]!;
  if (random(60) === 0) text += BROKEN[random(6)]! + "x".repeat(random(40));
  return `"${text}"`;
}

function lineOf(random: Random): string {
  const id = `"${"0123456789abcdef"[random(16)]!.repeat(random(20) === 0 ? random(70) : 36)}"`;
  const some = (): string =>
    [textOf(random, 90), "null", "12", "-1.5e3", "true", "{}", '{"x":[1,{"y":"z"}]}', "[]", '["a",{"type":"b"}]'][
      random(9)
    ]!;
  const odd = (usual: string): string => (random(25) === 0 ? some() : usual);
  const time = `"2026-01-${10 + random(20)}T10:00:0${random(10)}.123Z"`;
  const block = (): string =>
    random(10) === 0
      ? some()
      : random(2) === 0
        ? `{"type":"text","text":${textOf(random, 200)}}`
        : `{"type":"tool","id":${odd(id)},"input":${some()}}`;
  const content = random(3) === 0 ? textOf(random, 300) : `[${Array.from({ length: random(4) }, block).join(",")}]`;
  const usage = `{"input":${odd(String(random(1000)))},"tier":"${"xy"[random(2)]!}","rest":{"n":${random(3)}},"last":${odd("true")}}`;
  const message = `{"id":${odd(id)},"role":"user","model":${odd('"opus"')},"content":${odd(content)},"usage":${odd(usage)}}`;
  const side = random(2) === 0 ? "false" : "true";
  const long = random(5) === 0 ? `,"${"k".repeat(20 + random(60))}":null,"empty":"","more":[]` : "";
  const twice = random(40) === 0 ? `,"uuid":${id}` : "";
  return `{"type":${odd('"user"')},"side":${side},"message":${odd(message)},"uuid":${odd(id)},"at":${odd(time)},"count":${odd(String(random(30)))}${long}${twice},"cwd":"/home/x"}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function told(scan: Scan, bytes: Buffer): unknown[] {
  expect(scan.openBytes(bytes)).toBe(true);
  const all: unknown[] = [];
  for (;;) {
    const answer = scan.tell() as { state: number };
    if (answer.state === 0) return all;
    all.push(answer);
  }
}

describe("lines of shapes that were met", () => {
  it("are taken as if they were not", () => {
    const random = randomFrom(11);
    const warm = new Scan();
    let known = 0;
    for (let round = 0; round < 40; round++) {
      const sound = Buffer.from(Array.from({ length: 40 }, () => lineOf(random)).join("\n"));
      const bytes = random(3) === 0 ? damaged(sound, random) : sound;
      if (bytes.length > 200_000) continue;
      const answers = told(warm, bytes) as { state: number; line: string }[];
      for (const answer of answers) {
        // Nothing was met before.
        expect(told(new Scan(), Buffer.from(answer.line))[0], answer.line).toEqual(answer);
        if (answer.state === 1) known++;
      }
      expect(answers.length).toBeGreaterThan(0);
    }
    expect(known).toBeGreaterThan(500);
  });

  it("have long strings that come again checked to their end", () => {
    const random = randomFrom(29);
    const scan = new Scan();
    let sound = 0;
    for (let round = 0; round < 400; round++) {
      const text = `${textOf(random, 30).slice(1, -1)}${"long ".repeat(20 + random(80))}${textOf(random, 90).slice(1, -1)}`;
      const again = [
        text,
        `${text}x`,
        text.slice(0, -1),
        `${text.slice(0, -1)}~`,
        `${text.slice(0, random(text.length))}"`,
        `${text.slice(0, random(text.length))}\t${text}`,
        `${text.slice(0, random(text.length))}\n`,
      ][random(7)]!;
      const lines = [
        `{"type":"a","x":"${text}","y":{"z":"${again}"}}`,
        `{"type":"${again}"}`,
        `{"type":"b","x":"${text}`,
      ];
      const answers = told(scan, Buffer.from(lines.join("\n"))) as { state: number; line: string }[];
      for (const answer of answers) {
        expect(told(new Scan(), Buffer.from(answer.line))[0], answer.line).toEqual(answer);
        expect(answer.state === 1).toBe(isJson(answer.line));
        if (answer.state === 1) sound++;
      }
    }
    expect(sound).toBeGreaterThan(300);
  });

  it("have figures of every length read, and of every form judged", () => {
    const sound = [
      "0",
      "7",
      "10",
      "1234567",
      "12345678",
      "99999999",
      "123456789",
      "123456789012345",
      "1234567890123456",
    ];
    const broken = ["01", "00", "012345678", "1.", "-", "1e", "", "1 2", "+1", "0x1", "12345678a"];
    const forms = [...sound, ...broken, "-5", "1.5", "2e3", "0.25", "null", '"12"', "[1]"];
    const lineWith = (figure: string): string => `{"message":{"id":"a","usage":{"input":${figure},"rest":{"n":3}}}}`;
    const lines = forms.flatMap((figure) => [...Array.from({ length: 9 }, () => lineWith("42")), lineWith(figure)]);
    const answers = told(new Scan(), Buffer.from(lines.join("\n"))) as { state: number }[];
    for (const [index, line] of lines.entries()) expect(told(new Scan(), Buffer.from(line))[0]).toEqual(answers[index]);
    const states = forms.map((_, index) => answers[10 * index + 9]!.state);
    expect(states).toEqual(forms.map((figure) => (broken.includes(figure) ? DAMAGED : 1)));
  });
});
