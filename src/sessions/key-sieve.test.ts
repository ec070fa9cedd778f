import { expect, it } from "vitest";
import { KeyColumn, KeySieve } from "./key-sieve.ts";

it("sessions are found by any of their keys, each once, and those without keys never", () => {
  const sessions: [string, number[]][] = [
    ["none", []],
    ["first", [1, 2, 3]],
    ["empty", []],
    ["second", [4, 5]],
    // Alike in its last bits only.
    ["third", [2 ** 16 + 2]],
    ["last", [3, 2]],
    ["also empty", []],
  ];
  const column = new KeyColumn(
    { all: sessions.map(([id]) => id) },
    Uint32Array.from(sessions.flatMap(([, keys]) => keys)),
    (index) => sessions.slice(0, index + 1).flatMap(([, keys]) => keys).length,
  );
  const having = (...keys: number[]): string[] => [...column.sessionsWith(new KeySieve(new Set(keys)))];
  expect(having(2)).toEqual(["first", "last"]);
  expect(having(1, 2, 3)).toEqual(["first", "last"]);
  expect(having(5, 2 ** 16 + 2)).toEqual(["second", "third"]);
  expect(having(6, 7)).toEqual([]);
});

it("keys are found within their bounds only", () => {
  const sieve = new KeySieve(new Set([7]));
  const keys = Uint32Array.of(7, 1, 7);
  expect(sieve.hasOneOf(keys)).toBe(true);
  expect(sieve.hasOneOf(keys, 1, 2)).toBe(false);
  expect(sieve.find(keys, 1, 3)).toBe(2);
});
