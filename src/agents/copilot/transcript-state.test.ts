import { expect, it } from "vitest";
import { transcriptState } from "./hooks.ts";

/** As Copilot 1.0.102 writes them, without the fields amux ignores. */
const QUESTION = {
  type: "tool.execution_start",
  data: { toolCallId: "t1", toolName: "ask_user", arguments: { message: "Which colour shall the mug have?" } },
  timestamp: "2026-11-17T14:06:40.752Z",
};

it("does not call a session working while its form is open", () => {
  expect(transcriptState([QUESTION])).toMatchObject({ state: "waiting", message: "Which colour shall the mug have?" });
});

it("calls it working while another tool runs, and when the form is answered", () => {
  expect(transcriptState([{ ...QUESTION, data: { toolName: "bash" } }])?.state).toBe("working");
  const next = { type: "assistant.turn_start", data: {}, timestamp: "2026-11-17T14:06:50.000Z" };
  expect(transcriptState([QUESTION, next])?.state).toBe("working");
});
