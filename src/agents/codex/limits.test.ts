import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { limitReadings } from "./limits.ts";

const AT = "2026-11-17T10:00:00.000Z";
const ID = "01a1dce3-a9e9-7d22-a2bd-25f681b26c2f";

function readingsOf(...limits: unknown[]): ReturnType<typeof limitReadings> {
  const home = tempHome();
  const lines = limits.map((rate_limits) => ({
    type: "event_msg",
    payload: { type: "token_count", info: null, rate_limits },
  }));
  const text = [{ type: "session_meta", payload: { id: ID, cwd: "/x" } }, ...lines]
    .map((record) => `${JSON.stringify({ timestamp: AT, ...record })}\n`)
    .join("");
  home.write(`.codex/sessions/2026/11/17/rollout-2026-11-17T10-00-00-${ID}.jsonl`, text);
  return limitReadings({ home: home.path, platform: "linux", vars: {} }, Date.parse(AT));
}

it("a window is named by its length, wherever it is", () => {
  const week = { used_percent: 17, window_minutes: 10_080, resets_at: 1_794_950_000 };
  expect(readingsOf({ primary: week, secondary: null, plan_type: "pro" })).toEqual([
    {
      at: Date.parse(AT),
      agent: "codex",
      plan: "pro",
      session: ID,
      windows: [{ window: "7d", minutes: 10_080, usedPercent: 17, resetsAt: 1_794_950_000_000 }],
    },
  ]);
});

it("older versions say in how many seconds it resets", () => {
  const [reading] = readingsOf({ primary: { used_percent: 3, window_minutes: 300, resets_in_seconds: 60 } });
  expect(reading!.windows).toEqual([{ window: "5h", minutes: 300, usedPercent: 3, resetsAt: Date.parse(AT) + 60_000 }]);
});

it.each([{ resets_in_seconds: 1e300 }, { resets_in_seconds: -1e300 }, { resets_at: 1e300 }])(
  "a reset that is no time is left out: %j",
  (reset) => {
    const [reading] = readingsOf({ primary: { used_percent: 3, window_minutes: 300, ...reset } });
    expect(reading!.windows).toEqual([{ window: "5h", minutes: 300, usedPercent: 3 }]);
  },
);

it("a window without end is left out, and one that is a minute short has its usual name", () => {
  const [primary, secondary] = [1e300, 10_079].map((window_minutes) => ({ used_percent: 3, window_minutes }));
  expect(readingsOf({ primary, secondary })[0]!.windows.map(({ window }) => window)).toEqual(["7d"]);
});

it("the last file of a thread has its figures", () => {
  const home = tempHome();
  const segment = `${ID}_01a1dce3-a9e9-7d22-a2bd-25f681b26c30`;
  for (const [index, day] of ["15", "17"].entries()) {
    const at = `2026-11-${day}T10:00:00.000Z`;
    const limits = { primary: { used_percent: 10 * (index + 1), window_minutes: 300 } };
    const records = [
      { type: "session_meta", payload: { id: ID, cwd: "/x" } },
      { type: "event_msg", payload: { type: "token_count", info: null, rate_limits: limits } },
    ];
    const path = `.codex/sessions/2026/11/${day}/rollout-2026-11-${day}T10-00-00-${index === 0 ? ID : segment}.jsonl`;
    home.write(path, records.map((record) => `${JSON.stringify({ timestamp: at, ...record })}\n`).join(""));
  }
  const readings = limitReadings({ home: home.path, platform: "linux", vars: {} }, Date.parse(AT));
  expect(readings.map(({ windows }) => windows[0]!.usedPercent)).toEqual([20]);
});

it("nothing is known where the service sent nothing, or nonsense", () => {
  const nonsense = {
    primary: { used_percent: "12", window_minutes: 300 },
    secondary: { used_percent: 1, window_minutes: 0 },
  };
  expect(readingsOf({ primary: null, secondary: null }, null, 7, nonsense)).toEqual([]);
});

it("a refusal has the time of its reset, and a reading the account that the thread names", () => {
  const home = tempHome();
  const error = {
    message: "You’ve hit your usage limit. Visit https://example.com or try again in 2 hours.",
    codex_error_info: "usage_limit_exceeded",
  };
  const records = [
    { type: "session_meta", payload: { id: ID, cwd: "/x", creator_account_id: "acc-1" } },
    { type: "event_msg", payload: { type: "task_complete", error } },
    { type: "event_msg", payload: { type: "task_complete", error: { codex_error_info: "other", message: "no" } } },
    { type: "event_msg", payload: { type: "error", ...error, message: "" } },
  ];
  home.write(
    `.codex/sessions/2026/11/17/rollout-2026-11-17T10-00-00-${ID}.jsonl`,
    records.map((record) => `${JSON.stringify({ timestamp: AT, ...record })}\n`).join(""),
  );
  const who = { at: Date.parse(AT), agent: "codex", account: "acc-1", session: ID, windows: [] };
  expect(limitReadings({ home: home.path, platform: "linux", vars: {} }, Date.parse(AT))).toEqual([
    { ...who, refusal: { resetsAt: Date.parse(AT) + 2 * 3_600_000 } },
    { ...who, refusal: {} },
  ]);
});
