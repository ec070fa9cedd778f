import { expect, it } from "vitest";
import { lastChange } from "./source-list.ts";

it("a session of very many files does not overflow the stack", () => {
  const files = Array.from({ length: 200_000 }, (_, mtimeMs) => ({ path: "/x", size: 1, mtimeMs }));
  expect(lastChange(files)).toBe(199_999);
});
