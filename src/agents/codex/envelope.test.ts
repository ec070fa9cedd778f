import { describe, expect, it } from "vitest";
import { envelopeOf } from "./envelope.ts";

const START = '{"timestamp":"2026-11-15T10:00:00.000Z",';

describe("the envelope of a rollout's line", () => {
  it.each([
    ['"type":"event_msg","payload":{"type":"user_message"', ',"message":"function"}}'],
    ['"ordinal":7,"type":"response_item","payload":{"type":"function_call_output"', ',"call_id":"c","output":"x"}}'],
    ['"type":"response_item","payload":{"type":"function_call"', ',"name":"shell","arguments":"{}","call_id":"c"}}'],
    ['"type":"response_item","payload":{"type":"function_call"', ',"id":"fc_1","name":"shell","arguments":"{}"}}'],
  ])("ends with the name of the type: %s", (envelope, rest) => {
    expect(envelopeOf(START + envelope + rest)).toBe(START.length + envelope.length);
  });

  it.each([
    '"type":"event_msg","payload":{"type":"token_count","info":{"function":1}}}',
    '"type":"event_msg","payload":{"type":"agent_message","message":"said by an item, too"}}',
    '"type":"event_msg","payload":{"type":"item_completed","thread_id":"t","turn_id":"u","item":{"type":"CommandExecution","aggregated_output":"x"}}}',
    '"type":"event_msg","payload":{"type":"item_completed","thread_id":"t","item":{"type":"CommandExecution","aggregated_output":"x"}}}',
    '"type":"turn_context","payload":{"cwd":"/function"}}',
    '"type":"turn_context","payload":{"type":"message","content":"x"}}',
  ])("is all of a record that is part of no message: %s", (line) => {
    expect(envelopeOf(START + line)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    // Named by its type.
    '"type":"response_item","payload":{"type":"web_search_call","status":"completed"}}',
    '"type":"response_item","payload":{"type":"function_call","name":"","arguments":"{}"}}',
    '"type":"compacted","payload":{"message":"summary"}}',
    '"type":"session_meta","payload":{"id":"function"}}',
  ])("is not told: %s", (line) => {
    expect(envelopeOf(START + line)).toBe(0);
  });

  it("is none of a line without one", () => {
    expect(envelopeOf('{"type":"message","role":"user","content":[]}')).toBe(0);
  });
});
