import { expect, it } from "vitest";
import { createRunId, isRunId } from "./run-id.ts";

it("is a ULID whose beginning is the time", () => {
  const far = Date.UTC(2090, 0, 1);
  const id = createRunId(far);
  expect(isRunId(id)).toBe(true);
  const digits = Array.from(id.slice(0, 10)).map((digit) => "0123456789ABCDEFGHJKMNPQRSTVWXYZ".indexOf(digit));
  expect(digits.reduce((sum, digit) => sum * 32 + digit, 0)).toBe(far);
});

it("sorts in the order of creation, also within a millisecond and when the clock goes back", () => {
  const start = Date.UTC(2091, 0, 1);
  const ids = [
    ...Array.from({ length: 2000 }, () => createRunId(start)),
    createRunId(start - 5000),
    createRunId(start + 1),
  ];
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

it.each(["", "01M7EQK7S04BKK08QQYC5M0EJ", "81M7EQK7S04BKK08QQYC5M0EJ1", "01M7EQK7S04BKK08QQYC5M0EJU", "../etc"])(
  "does not accept %j",
  (text) => {
    expect(isRunId(text)).toBe(false);
  },
);
