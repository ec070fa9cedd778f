import { parseArgs } from "node:util";
import { describe, expect, it } from "vitest";
import { parseWords } from "./parse-arguments.ts";

const OPTIONS = [
  { name: "json" },
  { name: "help", short: "h" },
  { name: "quiet", short: "q" },
  { name: "limit", short: "n", value: "n" },
  { name: "tag", short: "t", value: "tag", repeatable: true },
];

/** The result of Node's parser; undefined if it rejects. */
function byNode(words: readonly string[]): unknown {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: Object.fromEntries(
        OPTIONS.map(({ name, short, value, repeatable }) => [
          name,
          {
            type: value === undefined ? ("boolean" as const) : ("string" as const),
            ...(short ? { short } : {}),
            ...(repeatable ? { multiple: true } : {}),
          },
        ]),
      ),
    });
    return { values: { ...values }, positionals };
  } catch {
    return undefined;
  }
}

function byUs(words: readonly string[]): unknown {
  const { problem, ...parsed } = parseWords(words, OPTIONS);
  return problem === undefined ? parsed : undefined;
}

const WORDS = [
  ...[
    "--json",
    "--help",
    "--limit",
    "--limit=5",
    "--limit=",
    "--limit=-1",
    "--tag=a=b",
    "--tag",
    "--json=yes",
    "--nothing",
  ],
  ...[
    "-h",
    "-q",
    "-hq",
    "-n",
    "-n5",
    "-qn5",
    "-qn",
    "-tx",
    "-x",
    "-hx",
    "-n=5",
    "-5",
    "-",
    "--",
    "---json",
    "--=x",
    "--limit=ü",
  ],
  ...["word", "", "a=b", "5", "ü", "=", "-ü"],
];

describe("arguments of a command", () => {
  it("mean the same as in Node, alone and combined", () => {
    for (const first of WORDS) {
      expect(byUs([first]), first).toEqual(byNode([first]));
      for (const second of WORDS) {
        expect(byUs([first, second]), `${first} ${second}`).toEqual(byNode([first, second]));
        for (const third of WORDS)
          expect(byUs([first, second, third]), `${first} ${second} ${third}`).toEqual(byNode([first, second, third]));
      }
    }
  });

  it.each<[string[], unknown]>([
    [["word", "--nothing", "--limit"], { unknown: "--nothing" }],
    [["--nothing=5"], { unknown: "--nothing" }],
    [["-qx"], { unknown: "-x" }],
    [["--limit", "--json"], { misused: OPTIONS[3] }],
    [["-n"], { misused: OPTIONS[3] }],
    [["--json=yes"], { misused: OPTIONS[0] }],
  ])("%j: the first thing that is wrong is told", (words, problem) => {
    expect(parseWords(words, OPTIONS).problem).toEqual(problem);
  });

  it("are not misread because of their names", () => {
    const { values, positionals, problem } = parseWords(["--__proto__", "--constructor"], OPTIONS);
    expect([Object.keys(values), positionals, problem]).toEqual([[], [], { unknown: "--__proto__" }]);
  });
});
