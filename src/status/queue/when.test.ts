import { describe, expect, it } from "vitest";
import { TimeZone } from "../../lib/values/time-zone.ts";
import { mendedSlot, parseWhen, slotOf, storedWhen, whenText } from "./when.ts";

const zone = new TimeZone("Europe/Berlin");
/** A Tuesday, 14:00 in Berlin. */
const NOW = Date.parse("2026-11-17T13:00:00Z");
const once = (text: string): string => whenText(parseWhen(text, NOW, zone));

describe("a time for a queued prompt", () => {
  it.each([
    ["15:30", "2026-11-17T14:30:00.000Z"],
    ["9:00", "2026-11-18T08:00:00.000Z"],
    ["9am", "2026-11-18T08:00:00.000Z"],
    ["12:05am", "2026-11-17T23:05:00.000Z"],
    ["tomorrow 9:00", "2026-11-18T08:00:00.000Z"],
    ["tuesday 9:00", "2026-11-24T08:00:00.000Z"],
    ["friday at 18:00", "2026-11-20T17:00:00.000Z"],
    ["in 90m", "2026-11-17T14:30:00.000Z"],
    ["2026-12-24 18:00", "2026-12-24T17:00:00.000Z"],
    ["2026-12-24T18:00", "2026-12-24T17:00:00.000Z"],
    ["2026-12-24T18:00Z", "2026-12-24T18:00:00.000Z"],
    ["Idle", "idle"],
    ["reset", "reset"],
    ["daily 9:00", "daily 09:00"],
    ["every day at 9:05", "daily 09:05"],
    ["Every Weekday 9:00", "weekdays 09:00"],
    ["weekends 10:00", "every sun,sat 10:00"],
    ["every fri, mon 18:30", "every mon,fri 18:30"],
    ["mondays 8:00", "every mon 08:00"],
  ])("%s is understood", (text, stored) => {
    expect(once(text)).toBe(stored);
    expect(whenText(storedWhen(stored, zone))).toBe(stored);
  });

  it.each([
    "",
    "soon",
    "25:00",
    "9",
    "13pm",
    "every 9:00",
    "every foo 9:00",
    "2026-02-31 9:00",
    "today 9:00",
    "in 2 weeks",
  ])('"%s" is refused with examples or a reason', (text) => {
    expect(() => parseWhen(text, NOW, zone)).toThrow(/is over|weekdays 9:00/);
  });
});

describe("a repeated time", () => {
  const at = (text: string): number => Date.parse(text);
  const slot = (text: string, now: string, taken?: string, since = "2026-01-01T00:00Z") => {
    const when = storedWhen(text);
    if (when.kind !== "every") throw new Error(text);
    const { day, at: moment } = slotOf(when, { taken, since: at(since) }, at(now), zone);
    return [day, new Date(moment).toISOString()];
  };

  it("is the next day it is set for", () => {
    const since = "2026-11-20T12:00:00Z";
    expect(slot("weekdays 09:00", "2026-11-20T13:00:00Z", undefined, since)).toEqual([
      "2026-11-23",
      "2026-11-23T08:00:00.000Z",
    ]);
  });

  it("that was missed is due once, the latest only", () => {
    expect(slot("daily 09:00", "2026-11-17T13:00:00Z", "2026-11-13")).toEqual([
      "2026-11-17",
      "2026-11-17T08:00:00.000Z",
    ]);
    expect(slot("daily 09:00", "2026-11-17T13:00:00Z", "2026-11-17")).toEqual([
      "2026-11-18",
      "2026-11-18T08:00:00.000Z",
    ]);
  });

  it("is not due again when the clock is set back", () => {
    expect(slot("daily 09:00", "2026-11-17T07:30:00Z", "2026-11-17")[0]).toBe("2026-11-18");
    expect(slot("daily 09:00", "2026-11-15T13:00:00Z", "2026-11-17")[0]).toBe("2026-11-18");
  });

  it("goes on after the clock was weeks or years ahead, and what was sent by then is not sent again", () => {
    const when = storedWhen("weekdays 09:00") as { days: readonly number[]; minute: number };
    for (const taken of ["2026-12-07", "2031-01-01"]) {
      const mended = mendedSlot(when, taken, at("2026-11-17T13:00:00Z"), zone);
      expect(mended).toBe("2026-11-17");
      expect(slot("weekdays 09:00", "2026-11-17T13:00:00Z", mended)[0]).toBe("2026-11-18");
      expect(slot("weekdays 09:00", "2026-11-18T08:00:00Z", mended)[0]).toBe("2026-11-18");
    }
    expect(mendedSlot(when, "2026-12-07", at("2026-11-16T07:00:00Z"), zone)).toBe("2026-11-13");
    expect(mendedSlot(when, "2026-11-18", at("2026-11-17T13:00:00Z"), zone)).toBeUndefined();
  });

  it("that the clocks skip is due at the skip", () => {
    expect(slot("daily 02:30", "2026-03-29T01:30:00Z", "2026-03-28")).toEqual([
      "2026-03-29",
      "2026-03-29T01:30:00.000Z",
    ]);
  });

  it("that the clocks show twice is due once", () => {
    const first = "2026-10-25T00:30:00.000Z";
    expect(slot("daily 02:30", "2026-10-25T00:31:00Z", "2026-10-24")).toEqual(["2026-10-25", first]);
    expect(slot("daily 02:30", "2026-10-25T01:31:00Z", "2026-10-25")[0]).toBe("2026-10-26");
  });

  it("is never due twice, whatever the clock does", () => {
    let taken: string | undefined;
    const fired = new Set<string>();
    let now = at("2026-10-20T00:00:00Z");
    let seed = 7;
    for (let step = 0; step < 2000; step++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      now += ((seed % 400) - 150) * 60_000;
      const when = storedWhen("daily 02:30");
      const next = slotOf(when as never, { taken, since: 0 }, now, zone);
      if (next.at > now) continue;
      expect(fired.has(next.day)).toBe(false);
      fired.add(next.day);
      taken = next.day;
    }
    expect(fired.size).toBeGreaterThan(50);
  });
});
