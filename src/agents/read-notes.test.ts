import { expect, it } from "vitest";
import { ReadNotes } from "./read-notes.ts";

it("counts unknown record types, long ones by prefix and endless ones together", () => {
  const notes = new ReadNotes();
  notes.unknown("x".repeat(1_000_000));
  for (let number = 0; number < 5000; number++) notes.unknown(`type ${number}`);
  expect(Math.max(...[...notes.unknownTypes.keys()].map((type) => type.length))).toBeLessThan(200);
  expect(notes.unknownTypes.size).toBeLessThanOrEqual(1001);
  expect([...notes.unknownTypes.values()].reduce((sum, count) => sum + count, 0)).toBe(5001);
});
