import { expect, test } from "vitest";
import { transcriptState } from "./transcript-state.ts";

const record = (payload: object) => ({ timestamp: "2026-11-17T07:58:37.459Z", type: "event_msg", payload });

test("an error carries the service's own reason", () => {
  const message = JSON.stringify({ error: { message: "The request is malformed.", type: "invalid_request_error" } });
  const failed = record({ type: "task_complete", error: { message } });
  expect(transcriptState([record({ type: "task_started" }), failed])).toMatchObject({
    state: "error",
    message: "The request is malformed.",
  });
  expect(transcriptState([record({ type: "task_complete", error: { message: "no route" } })])).toMatchObject({
    state: "error",
    message: "no route",
  });
  expect(transcriptState([record({ type: "task_complete" })])?.state).not.toBe("error");
});
