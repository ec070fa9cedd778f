import { describe, expect, it } from "vitest";
import { parseWords } from "./parse-arguments.ts";

const OPTIONS = [
  { name: "json" },
  { name: "help", short: "h" },
  { name: "quiet", short: "q" },
  { name: "limit", short: "n", value: "n" },
  { name: "tag", short: "t", value: "tag", repeatable: true },
];

describe("arguments of a command", () => {
  it.each<[string[], object, string[]]>([
    [["a", "--json", "b", "-qh"], { json: true, quiet: true, help: true }, ["a", "b"]],
    [["--limit=5", "-n6"], { limit: "6" }, []],
    [["--limit", "5", "-qn", "7", "--limit="], { limit: "", quiet: true }, []],
    [["--limit=-1", "--tag=a=b", "-t", "c"], { limit: "-1", tag: ["a=b", "c"] }, []],
    [["-", "--", "--json", "-x"], {}, ["-", "--json", "-x"]],
  ])("%j", (words, values, positionals) => {
    expect(parseWords(words, OPTIONS)).toEqual({ values, positionals });
  });

  it.each<[string[], unknown]>([
    [["word", "--nothing", "--limit"], { unknown: "--nothing" }],
    [["--nothing=5"], { unknown: "--nothing" }],
    [["-qx"], { unknown: "-x" }],
    [["--limit", "--json"], { misused: OPTIONS[3] }],
    [["-n"], { misused: OPTIONS[3] }],
    [["--json=yes"], { misused: OPTIONS[0] }],
  ])("%j: the first mistake is reported", (words, problem) => {
    expect(parseWords(words, OPTIONS).problem).toEqual(problem);
  });

  it("are not misread because of their names", () => {
    const { values, positionals, problem } = parseWords(["--__proto__", "--constructor"], OPTIONS);
    expect([Object.keys(values), positionals, problem]).toEqual([[], [], { unknown: "--__proto__" }]);
  });
});
