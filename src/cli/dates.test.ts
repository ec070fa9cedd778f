import { describe, expect, it } from "vitest";
import { TimeZone } from "../lib/values/time-zone.ts";
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
    ["90m", "UTC", "2026-11-15T10:30:00.000Z", "2026-11-15T10:30:00.000Z"],
    ["90min", "UTC", "2026-11-15T10:30:00.000Z", "2026-11-15T10:30:00.000Z"],
    ["2mo", "UTC", "2026-09-15T12:00:00.000Z", "2026-09-15T12:00:00.000Z"],
    ["1mo", "America/New_York", "2026-10-15T11:00:00.000Z", "2026-10-15T11:00:00.000Z"],
    ["today", "UTC", "2026-11-15T00:00:00.000Z", "2026-11-15T23:59:59.999Z"],
    ["Yesterday", "Asia/Tokyo", "2026-11-13T15:00:00.000Z", "2026-11-14T14:59:59.999Z"],
    ["sunday", "UTC", "2026-11-08T00:00:00.000Z", "2026-11-08T23:59:59.999Z"],
    ["last saturday", "UTC", "2026-11-14T00:00:00.000Z", "2026-11-14T23:59:59.999Z"],
    ["this week", "UTC", "2026-11-09T00:00:00.000Z", "2026-11-15T23:59:59.999Z"],
    ["last week", "UTC", "2026-11-02T00:00:00.000Z", "2026-11-08T23:59:59.999Z"],
    ["last month", "UTC", "2026-10-01T00:00:00.000Z", "2026-10-31T23:59:59.999Z"],
    ["2026-02", "UTC", "2026-02-01T00:00:00.000Z", "2026-02-28T23:59:59.999Z"],
    ["2025", "UTC", "2025-01-01T00:00:00.000Z", "2025-12-31T23:59:59.999Z"],
  ])("%s in %s", (text, name, since, until) => {
    const zone = new TimeZone(name);
    expect(parseDate(text, "since", { now, zone }).toISOString()).toBe(since);
    expect(parseDate(text, "until", { now, zone }).toISOString()).toBe(until);
  });

  it.each([
    "2026-02-31",
    "2026-13-01",
    "yesterday-ish",
    "next week",
    "2026-00",
    "2026-02-31T10:00",
    "",
    "7",
    "7x",
    "2026-03-29T99:00",
    "29.03.2026",
  ])("%j is refused", (text) => {
    expect(() => parseDate(text, "since", { now })).toThrow(`not "${text}"`);
  });

  it("an age of thousands of years is a moment long ago, in any zone", () => {
    for (const zone of [new TimeZone("UTC"), new TimeZone("America/New_York")])
      expect(parseDate("9999y", "since", { now, zone }).getTime()).toBeLessThan(Date.UTC(0, 0));
  });

  it("a month ago is never a day of the next month", () => {
    const since = (text: string, at: string): string =>
      parseDate(text, "since", { now: new Date(`${at}T12:00:00`) }).toDateString();
    expect(since("1mo", "2026-03-31")).toBe("Sat Feb 28 2026");
    expect(since("3mo", "2026-05-31")).toBe("Sat Feb 28 2026");
    expect(since("1y", "2028-02-29")).toBe("Sun Feb 28 2027");
  });
});
