import { expect, test } from "vitest";
import { parseQuery } from "./query.ts";
import { stemmedQuery, typedQuery } from "./typed-query.ts";

test.each([
  ["retry pol", "retry pol*"],
  ["retry po", "retry po"],
  ["retr*", "retr*"],
  ['"retry policy', '"retry policy'],
  ['"retry policy"', '"retry policy"'],
  ["timeout -docker", "timeout -docker"],
  ["agent:claude", "agent:claude"],
  ["src/price.js", "src/price.js"],
  ["(alpha OR beta)", "(alpha OR beta)"],
  ["error NOT log", "error NOT log"],
  ["NOT log error", "NOT log error*"],
])("%s means %s", (typed, meant) => {
  expect(typedQuery(typed)).toEqual({ text: meant, tags: [] });
});

test("edited: and read: are the file in calls of such tools", () => {
  const { text } = typedQuery('edited:routes.js "read:me" read:"my notes.md"');
  expect(text).toMatch(
    /^\(routes\.js file:routes\.js tool:edit\*,\S+\) "read:me" \("my notes\.md" file:"my notes\.md" tool:read\*/,
  );
  expect(parseQuery(text)).toBeDefined();
});

test("tag: is a filter, not a word", () => {
  expect(typedQuery("tag:release health tag:urgent")).toEqual({ text: "health*", tags: ["release", "urgent"] });
});

test("edited: can be negated, be part of an OR, and name several files", () => {
  const { text } = typedQuery("-edited:x.ts");
  expect(text).toMatch(/^-\(x\.ts file:x\.ts tool:edit\*,\S+\)$/);
  expect(typedQuery("(retry OR edited:x.ts)").text).toMatch(/^\(retry OR \(x\.ts file:x\.ts tool:\S+\)\)$/);
  expect(typedQuery("edited:a.ts,b.ts").text).toMatch(
    /^\(\(a\.ts file:a\.ts tool:\S+\) OR \(b\.ts file:b\.ts tool:\S+\)\)$/,
  );
});

test.each([
  ["a AND tag:x", "a", ["x"]],
  ["tag:x AND retry", "retry*", ["x"]],
  ["tag:x,y", "", ["x", "y"]],
  ["(a OR b) tag:x -c", "(a OR b)  -c", ["x"]],
  ['"NOT tag:x" tag:y', '"NOT tag:x"', ["y"]],
])("%s keeps its tag apart from its words", (typed, text, tags) => {
  expect(typedQuery(typed)).toEqual({ text, tags });
});

test.each(["retry NOT tag:wip", "-tag:wip", "a OR tag:x", "tag:x OR a", "(tag:a)", "-(a tag:x)"])(
  "%s is refused instead of searching for the opposite",
  (typed) => {
    expect(() => typedQuery(typed)).toThrow("tag: holds for the whole search.");
  },
);

test("a hint has the words as prefixes", () => {
  expect(stemmedQuery("retrying policies*")).toBe("retry* polic*");
  expect(stemmedQuery("retry")).toBeUndefined();
  expect(stemmedQuery('"retrying" agent:claudes')).toBeUndefined();
});
