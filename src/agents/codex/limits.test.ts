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
  return limitReadings({ home: home.path, platform: "linux", vars: {} }, Date.now());
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

it("nothing is known where the service sent nothing, or nonsense", () => {
  const nonsense = {
    primary: { used_percent: "12", window_minutes: 300 },
    secondary: { used_percent: 1, window_minutes: 0 },
  };
  expect(readingsOf({ primary: null, secondary: null }, null, 7, nonsense)).toEqual([]);
});
