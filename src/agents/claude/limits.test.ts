import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { limitReadings } from "./limits.ts";

const AT = "2026-11-17T20:03:45.512Z";
const ID = "f024238d-af9f-463a-b8ae-6245beacfeb6";

function refusalsOf(...records: object[]): unknown[] {
  const home = tempHome();
  const lines = records.map((record) => `${JSON.stringify({ type: "assistant", timestamp: AT, ...record })}\n`);
  home.write(`.claude/projects/-w/${ID}.jsonl`, lines.join(""));
  return limitReadings({ home: home.path, platform: "linux", vars: {} }, Date.parse(AT)).map(({ refusal }) => refusal);
}

const refused = (text: string, more: object = {}): object => ({
  error: "rate_limit",
  isApiErrorMessage: true,
  message: { content: [{ type: "text", text }] },
  ...more,
});

it("a refusal has its window and the time of its reset", () => {
  const quotaLimits = { status: "rejected", resetsAt: 1_794_953_023, rateLimitType: "seven_day_opus" };
  expect(refusalsOf(refused("You've hit your limit", { quotaLimits }))).toEqual([
    { kind: "7d opus", resetsAt: 1_794_953_023_000 },
  ]);
});

it("an older version says them only in its text", () => {
  expect(refusalsOf(refused("You've hit your session limit · resets 10pm (UTC)"))).toEqual([
    { kind: "5h", resetsAt: Date.parse("2026-11-17T22:00:00Z") },
  ]);
});

it("a busy service and the user's own words are no refusal", () => {
  const busy = refused("API Error: Request rejected (429) · Please try again later.");
  const quoted = { message: { content: [{ type: "text", text: "You've hit your session limit · resets 10pm" }] } };
  expect(refusalsOf(busy, quoted)).toEqual([]);
});
