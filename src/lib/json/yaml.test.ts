import { describe, expect, it } from "vitest";
import { parseYaml } from "./yaml.ts";

describe("settings in YAML", () => {
  it("are read as people write them", () => {
    const text = `# tasks of this project
tasks:
  provider: ./bin/tasks.sh   # our own
  args:
    path: docs/delivery
    "odd key": 'it''s #1'
    url: http://x.y/z#a
    empty:
  interval: "5m"
  list:
  - one
  - "two: 2"
flow: {a: 1, b: "x, y"}
words: [in progress, done]
`;
    expect(parseYaml(text)).toEqual({
      tasks: {
        provider: "./bin/tasks.sh",
        args: { path: "docs/delivery", "odd key": "it's #1", url: "http://x.y/z#a", empty: "" },
        interval: "5m",
        list: ["one", "two: 2"],
      },
      flow: { a: "1", b: "x, y" },
      words: ["in progress", "done"],
    });
  });

  it.each(["", "\n# nothing\n", "---\n"])("%j is empty", (text) => {
    expect(parseYaml(text)).toEqual({});
  });

  it("take what YAML has for long texts and repetitions", () => {
    expect(parseYaml("a: &x 1\nb: *x\nc: |\n  two\n  lines\nd:\n  - e: 1\n    f: 2\n")).toEqual({
      a: "1",
      b: "1",
      c: "two\nlines\n",
      d: [{ e: "1", f: "2" }],
    });
  });

  it("cannot reach a prototype", () => {
    const settings = parseYaml("__proto__:\n  polluted: yes") as object;
    expect([Object.keys(settings), "polluted" in {}, "polluted" in settings]).toEqual([["__proto__"], false, false]);
  });

  it.each([
    ["a:\n\tb: 1", "line 2: Tabs are not allowed as indentation"],
    ["a: 1\n  b: 2", "line 1: Nested mappings are not allowed in compact mappings"],
    ['a: "open', "line 1: Missing closing"],
    ["a: 1\na: 2", "line 2: Map keys must be unique"],
  ])("%j is an error that names its line", (text, message) => {
    expect(() => parseYaml(text)).toThrow(message);
  });

  it.each([
    ["brackets", "a: " + "[".repeat(16_000)],
    ["brackets with closing ones in quotes", "a: " + '[ "]", '.repeat(800)],
    ["brackets that are left open", "a: [\nb: " + "[".repeat(60)],
    ["dashes", "- ".repeat(8000)],
    ["questions", "? ".repeat(8000)],
    ["keys", "a: ".repeat(5000)],
    ["lines", `a:\n${" ".repeat(201)}b: 1`],
  ])("with endlessly nested %s do not end the process", (_, text) => {
    expect(() => parseYaml(text)).toThrow("nested more than 50 levels deep");
  });

  it("with thousands of keys do not stop the process", () => {
    const keys = Array.from({ length: 1600 }, (_, key) => `k${key}: 1`);
    expect(Object.keys(parseYaml(keys.join("\n")) as object)).toHaveLength(1600);
    expect(() => parseYaml([...keys, "k7: 1"].join("\n"))).toThrow("line 1601: Map keys must be unique");
    expect(() => parseYaml("# \n".repeat(30_000))).toThrow("more than 16 KB");
  });

  it("take many brackets beside each other", () => {
    const lists = Array.from({ length: 500 }, (_, key) => `k${key}: [{a: "]"}, it's]`);
    expect(Object.keys(parseYaml(lists.join("\n")) as object)).toHaveLength(500);
  });

  it("do not grow without end by repetitions", () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
    for (const [name, before] of ["ba", "cb", "dc", "ed", "fe", "gf", "hg", "ih"]) {
      bomb.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(",")}]`);
    }
    expect(() => parseYaml(bomb.join("\n"))).toThrow("alias");
  });
});
