import { expect, test } from "vitest";
import { hookEvents } from "./hook-events.ts";

test.each([
  ["Hi! i !", "Hi!"],
  ["Hi, the purple walrus says hello. ple walrus  says hello.", "Hi, the purple walrus says hello."],
  [" \nI will run it. l run it. Done. ne .", "I will run it. Done."],
  ["It was as that hat said: no, no, and no.", "It was as that hat said: no, no, and no."],
  ["", undefined],
])("an answer is not garbled by the pieces in which it arrived: %s", (prompt_response, message) => {
  const report = hookEvents.read({ hook_event_name: "AfterAgent", prompt_response }, undefined, {})!.report;
  expect(report).toEqual({ state: "done", ...(message === undefined ? {} : { message }) });
});
