import { expect, test } from "vitest";
import { hookEvents } from "./hook-events.ts";

test("an error carries what Claude Code shows for it, not that its kind is unknown", () => {
  const last = "API Error: 400 The request is malformed.";
  const payload = { hook_event_name: "StopFailure", error: "unknown", last_assistant_message: last };
  expect(hookEvents.read(payload, undefined, {})!.report).toEqual({ state: "error", message: last });
});
