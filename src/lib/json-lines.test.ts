/** What the scanner says of a line is what JSON.parse says of it. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { randomFrom, type Random } from "../../test/support/damaged-file.ts";
import { tempHome } from "../../test/support/temp-home.ts";
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

describe("files that are read ahead", () => {
  it("are the same lines as files that are opened, however long they are and whatever became of them", () => {
    const home = tempHome();
    const random = randomFrom(11);
    const lines = (count: number): string => Array.from({ length: count }, () => lineOf(random)).join("\n");
    const files = {
      short: "\ufeff" + lines(3),
      empty: "",
      torn: lines(40).slice(0, -7),
      long: lines(9000) + "\n",
      wide: `{"rest":"${"x".repeat(700_000)}"}\n${lines(5)}`,
      last: lines(700),
    };
    for (const [name, text] of Object.entries(files)) home.write(name, text);
    home.write("folder/file", "");
    const all = (scan: JsonLines, name: string): unknown[] => {
      const found: unknown[] = [];
      scan.open(join(home.path, name), 0);
      for (let state = scan.next(); state !== END; state = scan.next())
        found.push([state, scan.line().toString(), scan.lineOffset, scan.complete]);
      return found;
    };
    const expected = Object.keys(files).map((name) => all(new JsonLines(FIELDS), name));
    const scan = new JsonLines(FIELDS);
    for (const order of [Object.keys(files), Object.keys(files).reverse()]) {
      for (const name of [...order, "folder", "missing"]) scan.ahead.read(join(home.path, name));
      expect(Object.keys(files).map((name) => all(scan, name))).toEqual(expected);
      expect(() => all(scan, "missing")).toThrow(/ENOENT/);
      expect(() => all(scan, "folder")).toThrow(/EISDIR/);
      scan.ahead.clear();
    }
    scan.ahead.read(join(home.path, "short"));
    scan.ahead.clear();
    home.write("short", "{}");
    expect(all(scan, "short")).toHaveLength(1);
  });
});
