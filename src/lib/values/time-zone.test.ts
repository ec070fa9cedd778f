import { describe, expect, it } from "vitest";
import { TimeZone } from "./time-zone.ts";

describe("a day", () => {
  it.each([
    ["UTC", "2026-03-29T23:59:59.999Z", "2026-03-29"],
    ["Asia/Kathmandu", "2026-03-29T18:14:59.999Z", "2026-03-29"],
    ["Asia/Kathmandu", "2026-03-29T18:15:00.000Z", "2026-03-30"],
    ["Pacific/Kiritimati", "2026-03-29T10:00:00.000Z", "2026-03-30"],
    ["America/St_Johns", "2026-07-01T02:29:59.999Z", "2026-06-30"],
    ["America/St_Johns", "2026-07-01T02:30:00.000Z", "2026-07-01"],
  ])("in %s at %s is %s", (zone, moment, day) => {
    expect(new TimeZone(zone).dayOf(Date.parse(moment))).toBe(day);
  });

  it.each([
    ["UTC", [2026, 1, 1], "2026-01-01T00:00:00.000Z"],
    ["Europe/Berlin", [2026, 3, 29], "2026-03-28T23:00:00.000Z"],
    ["Europe/Berlin", [2026, 3, 30], "2026-03-29T22:00:00.000Z"],
    ["Europe/Berlin", [2026, 10, 25], "2026-10-24T22:00:00.000Z"],
    ["Europe/Berlin", [2026, 10, 26], "2026-10-25T23:00:00.000Z"],
    ["America/New_York", [2026, 11, 1], "2026-11-01T04:00:00.000Z"],
    ["Australia/Lord_Howe", [2026, 4, 6], "2026-04-05T13:30:00.000Z"],
    // The clock goes from 23:59:59 to 01:00:00.
    ["Africa/Cairo", [2026, 4, 24], "2026-04-23T22:00:00.000Z"],
    ["America/Santiago", [2026, 9, 6], "2026-09-06T04:00:00.000Z"],
  ] as const)("in %s starts, for %j, at %s", (zone, [year, month, day], start) => {
    expect(new Date(new TimeZone(zone).momentAt(Date.UTC(year, month - 1, day))).toISOString()).toBe(start);
  });

  it("starts where the previous one ends, in every zone", () => {
    for (const name of Intl.supportedValuesOf("timeZone")) {
      const zone = new TimeZone(name);
      for (const day of [2, 8, 29]) {
        const start = zone.momentAt(Date.UTC(2026, 2, day));
        expect([name, zone.dayOf(start), zone.dayOf(start - 1)]).toEqual([name, iso(day), iso(day - 1)]);
      }
    }
  });
});

describe("the day of a moment", () => {
  it("is what a calendar in that zone shows, at every quarter of an hour around clock changes", () => {
    const around = ["2026-03-08", "2026-03-29", "2026-04-05", "2026-04-24", "2026-09-06", "2026-11-01"];
    for (const name of [
      "UTC",
      "Europe/Berlin",
      "America/New_York",
      "Australia/Lord_Howe",
      "Africa/Cairo",
      "Pacific/Chatham",
      "America/Santiago",
    ]) {
      const calendar = new Intl.DateTimeFormat("en-CA", { timeZone: name });
      const zone = new TimeZone(name);
      for (const date of around) {
        const from = Date.parse(date) - 30 * HOUR_MS;
        const moments = Array.from({ length: 84 * 4 }, (_, at) => from + (at * HOUR_MS) / 4);
        expect([name, ...moments.map((ms) => zone.dayOf(ms))]).toEqual([
          name,
          ...moments.map((ms) => calendar.format(ms)),
        ]);
      }
    }
  });
});

const HOUR_MS = 3_600_000;

function iso(day: number): string {
  return new Date(Date.UTC(2026, 2, day)).toISOString().slice(0, 10);
}

describe("a zone", () => {
  it("is the local one by default", () => {
    const now = new Date(2026, 5, 1, 0, 0, 0);
    expect(new TimeZone().dayOf(now.getTime())).toBe("2026-06-01");
    expect(new TimeZone().name).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  });

  it("that does not exist is an error", () => {
    expect(() => new TimeZone("Middle/Earth")).toThrow(RangeError);
  });

  it("shows the time on its clocks", () => {
    expect(new TimeZone("Asia/Tokyo").timeOf(Date.parse("2026-01-01T20:30:40.999Z"))).toBe("2026-01-02 05:30:40");
  });
});
