import { expect, it } from "vitest";
import { jsonPieces } from "./output.ts";

it.each([0, 1, 999, 1000, 1001, 2500])("a list of %d in pieces is the same text as in one", (length) => {
  const list = Array.from({ length }, (_, n) => (n % 7 === 0 ? undefined : { n, text: "a\n[]", deep: [{}, []] }));
  expect([...jsonPieces(list)].join("")).toBe(`${JSON.stringify(list, null, 2)}\n`);
});
