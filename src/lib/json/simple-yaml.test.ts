import { describe, expect, it } from "vitest";
import { parseYaml } from "./simple-yaml.ts";

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

  it.each([
    ["a: &x 1", "line 1"],
    ["a: |\n  text", "line 1"],
    ["a:\n\tb: 1", "line 2: tabs cannot indent"],
    ["a: 1\n  b: 2", "line 2: unexpected indentation"],
    ["just text", "line 1: expected `key: value`"],
    ['a: "open', "line 1: a quote is not closed"],
    ["- a: 1\n  b: 2", "line 2"],
    ["__proto__: 1", "line 1"],
  ])("%j is an error that names its line", (text, message) => {
    expect(() => parseYaml(text)).toThrow(message);
  });
});
