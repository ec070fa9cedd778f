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

test("a hint has the beginnings of words", () => {
  expect(stemmedQuery("retrying policies*")).toBe("retry* polic*");
  expect(stemmedQuery("retry")).toBeUndefined();
  expect(stemmedQuery('"retrying" agent:claudes')).toBeUndefined();
});
