/** What the scanner says of a line is what JSON.parse says of it. */
import { describe, expect, it } from "vitest";
import { randomFrom, type Random } from "../../test/support/damaged-file.ts";
import { DAMAGED, END, JsonLines, NUMBER, ODD, STRING } from "./json-lines.ts";

const NAMES = ["input", "cached", "inner.write", "inner.read", "speed"];
const FIELDS = [
  { path: "usage", as: "figures" as const },
  ...NAMES.map((name) => ({ path: `usage.${name}`, ...(name === "speed" ? { as: "word" as const } : {}) })),
];
const VALUES = [
  ...["0", "7", "12", "345", "67890", "123456789012345", "1234567890123456", "-1", "-0", "1.5", "2e3", "1E-2"],
  ...['"x"', '"a\\nb"', "null", "true", "false", "[1,2]", "{}", '{"n":1}'],
  ...["00", "01", "1.", "-", "+1", ".5", "1e", "nul", '"\\q"', '"open', "[1,]", "", "1 2", " 3 ", "4\t"],
];

function lineOf(random: Random): string {
  // Mostly sound and alike, since only then there is a form to be compared with.
  const value = (): string => VALUES[random(8) === 0 ? random(VALUES.length) : random(6)]!;
  const speed = random(6) === 0 ? value() : '"standard"';
  const more = random(8) === 0 ? `,"input":${value()}` : "";
  const inner = random(12) === 0 ? value() : `{"write":${value()},"read":${value()}}`;
  const usage = `{"input":${value()},"cached":${value()},"inner":${inner},"other":{"n":${value()}},"speed":${speed}${more}}`;
  return `{"usage":${usage},"rest":[{"a":${value()}},${value()}]}`;
}

/** What lies at a path of a parsed line. */
function at(line: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return (value as Record<string, unknown>)[name];
  }, line);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

describe("lines with figures in them", () => {
  it("are what JSON.parse says, one after the other", () => {
    const random = randomFrom(5);
    const lines = Array.from({ length: 2000 }, () => lineOf(random));
    const scan = new JsonLines(FIELDS);
    const fields = NAMES.map((name) => scan.field(`usage.${name}`));
    let told = 0;
    for (let first = 0; first < lines.length; first += 400) {
      const some = lines.slice(first, first + 400);
      expect(scan.openBytes(Buffer.from(some.join("\n")))).toBe(true);
      for (const line of some) {
        const state = scan.next();
        expect(scan.line().toString()).toBe(line);
        // A key that comes twice: the caller parses it.
        if (state === ODD) continue;
        const object = parsed(line);
        expect(state === DAMAGED, line).toBe(object === undefined);
        if (state === DAMAGED) continue;
        told++;
        NAMES.forEach((name, index) => {
          const value = at(object, `usage.${name}`);
          const field = fields[index]!;
          expect(scan.kind(field) === NUMBER, line).toBe(typeof value === "number");
          expect(scan.kind(field) === STRING, line).toBe(typeof value === "string");
          if (typeof value === "number") expect(scan.number(field), line).toBe(value);
          if (typeof value === "string") expect(scan.text(field), line).toBe(value);
          if (typeof value === "string" && name === "speed") expect(scan.word(field), line).toBe(value);
        });
      }
      expect(scan.next()).toBe(END);
    }
    expect(told).toBeGreaterThan(lines.length / 4);
  });
});
