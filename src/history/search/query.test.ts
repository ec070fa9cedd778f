import { describe, expect, it } from "vitest";
import { AgentMuxError } from "../../core/errors.ts";
import { parseQuery, type Query } from "./query.ts";

const NOW = new Date("2026-03-31T12:00:00Z");

/** The query written out again, fully parenthesised. */
function written(text: string): string {
  const query = parseQuery(text, NOW);
  return query === undefined ? "" : write(query);
}

function write(query: Query): string {
  switch (query.kind) {
    case "all":
      return `[${[...query.within.map((field) => `<${"roles" in field ? `role:${field.roles.join("|")}` : `${field.field}:${field.anyOf.map(sequence).join("|")}`}>`), ...query.of.map(write)].join(" ")}]`;
    case "any":
      return `{${query.of.map(write).join(" | ")}}`;
    case "not":
      return `-${write(query.of)}`;
    case "text":
      return sequence(query.text);
    case "session":
      return "ms" in query.test
        ? `${query.test.field}:${new Date(query.test.ms).toISOString()}`
        : `${query.test.field}:${query.test.anyOf.map(sequence).join("|")}`;
  }
}

function sequence({ steps, prefix }: { steps: readonly string[]; prefix: boolean }): string {
  return `${steps.join("+")}${prefix ? "*" : ""}`;
}

function failure(text: string): string {
  try {
    parseQuery(text, NOW);
  } catch (error) {
    if (error instanceof AgentMuxError && error.code === "VALIDATION_ERROR") return error.message;
    throw error;
  }
  return "";
}

describe("a query", () => {
  it("is a list of words that must all occur", () => {
    expect(written("Retry policy")).toBe("[retry policy]");
    expect(written("retry AND policy")).toBe("[retry policy]");
    expect(written("retry")).toBe("retry");
    expect(written("  ")).toBe("");
  });

  it("takes phrases, prefixes, and words of several parts", () => {
    expect(written('"Retry, the policy" conf*')).toBe("[retry+the+policy conf*]");
    expect(written("src/lib/byte-scan.ts ERR_MODULE_NOT_FOUND")).toBe("[src+lib+byte+scan+ts err+module+not+found]");
    expect(written('"src/li"* node_mod*')).toBe("[src+li* node+mod*]");
    expect(written("render(x) f() std::vector<int> 検索機能")).toBe("[render+x f std+vector+int 検索+索機+機能]");
  });

  it("knows not, or and groups", () => {
    expect(written("a -b OR c d")).toBe("{[a -b] | [c d]}");
    expect(written("a (b OR -(c d)) NOT e")).toBe("[a {b | -[c d]} -e]");
    expect(written("foo(bar baz)")).toBe("[foo [bar baz]]");
    expect(written("or and not -x")).toBe("[or and not -x]");
    expect(written('-"x y" --no-verify')).toBe("[-x+y --no+verify]");
  });

  it("knows fields", () => {
    expect(written('agent:claude,codex Model:opus-4 title:"fix, it" cwd:/home/me/shop-api branch:fix/*')).toBe(
      "[agent:claude|codex model:opus+4 title:fix+it cwd:home+me+shop+api branch:fix*]",
    );
    expect(written("role:User,tool tool:Bash file:src/a.ts error")).toBe(
      "[<role:user|tool> <tool:bash> <file:src+a+ts> error]",
    );
    expect(written("(role:user x) OR -tool:bash")).toBe("{[<role:user> x] | -[<tool:bash>]}");
    expect(written("before:2026-01-31T12:00Z after:24h")).toBe(
      "[before:2026-01-31T12:00:00.000Z after:2026-03-30T12:00:00.000Z]",
    );
    expect(written("after:1mo")).toBe("after:2026-02-28T12:00:00.000Z");
  });

  it("treats unknown fields as words", () => {
    expect(written("https://x.org author:me role")).toBe("[https+x+org author+me role]");
  });

  it("skips punctuation between words", () => {
    expect(written("a && b - c -> d")).toBe("[a b c d]");
  });
});

describe("a query with bad syntax", () => {
  it.each([
    ['retry "policy', 'This quote is never closed.\n  retry "policy\n        ^'],
    ["retry (policy OR x", 'This "(" is never closed.\n  retry (policy OR x\n        ^'],
    ["retry) policy", 'There is no "(" for this ")".\n  retry) policy\n       ^'],
    ["retry OR", "OR needs something on its right.\n  retry OR\n        ^^"],
    ["OR retry", "OR needs something on its left.\n  OR retry\n  ^^"],
    ["a OR OR b", "OR needs something on its left.\n  a OR OR b\n       ^^"],
    ["a (b OR) c", "OR needs something on its right.\n  a (b OR) c\n       ^^"],
    ["AND b", "AND needs something on its left.\n  AND b\n  ^^^"],
    ["a AND", "AND needs something on its right.\n  a AND\n    ^^^"],
    ["a ( ) b", "There is nothing between these parentheses.\n  a ( ) b\n    ^^^"],
    ['x ""', 'There is no letter or digit between these quotes.\n  x ""\n    ^^'],
    ["&& ->", "Type at least one letter or digit.\n  && ->\n  ^^^^^"],
    ["a tool: b", "tool: needs a value right behind it.\n  a tool: b\n    ^^^^^"],
    ["検索 role:boss", "role: is one of user, assistant, system, tool.\n  検索 role:boss\n       ^^^^^^^^^"],
    [
      "after:soon",
      "after: takes a date such as 2026-01-31, 2026-01, 24h, 7d, 3mo, today, yesterday, monday or last week.\n  after:soon\n  ^^^^^^^^^^",
    ],
    [
      "before:2026-02-31",
      "before: takes a date such as 2026-01-31, 2026-01, 24h, 7d, 3mo, today, yesterday, monday or last week.\n  before:2026-02-31\n  ^^^^^^^^^^^^^^^^^",
    ],
    ["a -(", 'This "(" is never closed.\n  a -(\n     ^'],
    ["a (-) b", "- needs something to leave out.\n  a (-) b\n     ^"],
  ])("%s", (query, message) => {
    expect(failure(query)).toBe(message);
  });

  it("is shown around the error when it is long", () => {
    const [, shown, mark] = failure(`${"x ".repeat(200)}( ${"y ".repeat(200)}`).split("\n");
    expect(shown!.length).toBeLessThan(140);
    expect(shown![mark!.indexOf("^")]).toBe("(");
  });

  it("has a nesting limit", () => {
    expect(failure("(".repeat(1000))).toContain("levels of parentheses");
  });
});
