import { expect, test } from "vitest";
import { hookEvents } from "./hook-events.ts";

test("an error carries the message Claude Code shows, not its unknown kind", () => {
  const last = "API Error: 400 The request is malformed.";
  const payload = { hook_event_name: "StopFailure", error: "unknown", last_assistant_message: last };
  expect(hookEvents.read(payload, undefined, {})!.report).toEqual({ state: "error", message: last });
});
