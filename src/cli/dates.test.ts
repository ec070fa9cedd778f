import { describe, expect, it } from "vitest";
import { TimeZone } from "../lib/time-zone.ts";
import { parseDate } from "./dates.ts";

const now = new Date("2026-11-15T12:00:00Z");

describe("a date on the command line", () => {
  it.each([
    ["2026-03-29", "UTC", "2026-03-29T00:00:00.000Z", "2026-03-29T23:59:59.999Z"],
    ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z", "2026-03-29T21:59:59.999Z"],
    ["2026-03-29", "Asia/Tokyo", "2026-03-28T15:00:00.000Z", "2026-03-29T14:59:59.999Z"],
    ["2026-03-29T12:00Z", "Asia/Tokyo", "2026-03-29T12:00:00.000Z", "2026-03-29T12:00:00.000Z"],
    ["2026-03-29T12:00+02:00", "Asia/Tokyo", "2026-03-29T10:00:00.000Z", "2026-03-29T10:00:00.000Z"],
    ["2026-03-29T12:00", "Asia/Tokyo", "2026-03-29T03:00:00.000Z", "2026-03-29T03:00:00.000Z"],
    ["24h", "UTC", "2026-11-14T12:00:00.000Z", "2026-11-14T12:00:00.000Z"],
    ["2w", "UTC", "2026-11-01T12:00:00.000Z", "2026-11-01T12:00:00.000Z"],
  ])("%s in %s", (text, name, since, until) => {
    const zone = new TimeZone(name);
    expect(parseDate(text, "since", { now, zone }).toISOString()).toBe(since);
    expect(parseDate(text, "until", { now, zone }).toISOString()).toBe(until);
  });

  it.each(["2026-02-31", "2026-13-01", "yesterday", "", "7", "7x", "2026-03-29T99:00", "29.03.2026"])(
    "%j is refused",
    (text) => {
      expect(() => parseDate(text, "since", { now })).toThrow(`not "${text}"`);
    },
  );
});
