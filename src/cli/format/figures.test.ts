import { expect, it } from "vitest";
import { age } from "./figures.ts";

it.each([
  ["2026-01-01T00:00:30Z", "now"],
  ["2025-12-31T23:00:00Z", "1h"],
  ["2025-12-29T00:00:00Z", "3d"],
  ["2024-06-01T12:00:00Z", "2024-06-01"],
  ["+275761-01-01T00:00:00Z", "?"],
])("%s is %s ago", (date, expected) => {
  expect(age(new Date(date), Date.parse("2026-01-01T00:00:30Z"))).toBe(expected);
});
