import { expect, test } from "vitest";
import { localDay, localSecond, localTime } from "./local-time.ts";

const NOW = new Date(2026, 10, 17, 12);

test("only a date of another year shows its year", () => {
  expect(localTime(new Date(2026, 10, 5, 4, 3), NOW)).toBe("5 Nov 04:03");
  expect(localTime(new Date(2025, 0, 31, 23, 59), NOW)).toBe("31 Jan 2025 23:59");
  expect(localSecond(new Date(2026, 10, 5, 4, 3, 9), NOW)).toBe("5 Nov 04:03:09");
  expect(localDay(new Date(2025, 0, 31), NOW)).toBe("31 Jan 2025");
});

test("an invalid date is a question mark", () => {
  expect(localTime(new Date(Number.NaN), NOW)).toBe("?");
  expect(localSecond(new Date(Number.NaN), NOW)).toBe("?");
});
