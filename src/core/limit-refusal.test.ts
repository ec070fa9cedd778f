import { describe, expect, it } from "vitest";
import { TimeZone } from "../lib/values/time-zone.ts";
import { limitRefusal } from "./limit-refusal.ts";

const AT = Date.parse("2026-11-17T10:00:00Z");

function reset(text: string): string | undefined {
  const found = limitRefusal(text, AT, (wall, zone = "UTC") => new TimeZone(zone).momentAt(wall));
  if (found === undefined) return undefined;
  return found.resetsAt === undefined ? "unknown" : new Date(found.resetsAt).toISOString();
}

describe("an agent's words for a used-up limit", () => {
  it.each([
    ["You've hit your limit · resets 3pm (Asia/Seoul)", "2026-11-18T06:00:00.000Z"],
    ["You've hit your session limit · resets 7:30pm (America/New_York)", "2026-11-18T00:30:00.000Z"],
    ["You've hit your weekly limit · resets Nov 21, 11:30am (Asia/Calcutta)", "2026-11-21T06:00:00.000Z"],
    ["You've hit your limit · resets Jan 2 at 4pm (America/Recife)", "2027-01-02T19:00:00.000Z"],
    ["5-hour limit reached ∙ resets 12am", "2026-11-18T00:00:00.000Z"],
    ["Claude usage limit reached. Your limit will reset at 10am (America/Lima).", "2026-11-17T15:00:00.000Z"],
    ["Claude AI usage limit reached|1794942000", "2026-11-17T19:00:00.000Z"],
    ["You've hit your usage limit. Upgrade to Pro, or try again at 7:58 PM.", "2026-11-17T19:58:00.000Z"],
    ["You've hit your usage limit. Try again in 1 day 2 hours 5 minutes.", "2026-11-18T12:05:00.000Z"],
    ["You've hit your usage limit, try again at Nov 20th, 2026 7:58 PM.", "2026-11-20T19:58:00.000Z"],
    ["You've hit your usage limit.", "unknown"],
    ["You've hit your limit · resets 99pm (Mars/Olympus)", "unknown"],
  ])("%s", (text, expected) => {
    expect(reset(text)).toBe(expected);
  });

  it.each([
    ["You've hit your 5-hour limit · resets 3pm", "5h"],
    ["You've hit your weekly limit · resets 3pm", "7d"],
    ["Opus limit reached · resets 3pm", "7d opus"],
    ["You've hit your usage limit.", undefined],
  ])("names its window: %s", (text, kind) => {
    expect(limitRefusal(text, AT, (wall) => wall)?.kind).toBe(kind);
  });

  it.each([
    "API Error: 529 overloaded",
    "Context limit reached · /compact or /clear to continue",
    "Rate limited. Please try again later.",
    "The file has a limit of 3pm",
    "",
  ])("does not include %j", (text) => {
    expect(reset(text)).toBeUndefined();
  });
});
