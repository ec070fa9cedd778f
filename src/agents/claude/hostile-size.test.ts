/** A record made to be slow must not take minutes. */
import { describe, expect, it } from "vitest";
import { DEADLINE_MS } from "../../../test/support/deadline.ts";
import { Bill } from "./bill.ts";
import { buildReply } from "./message.ts";
import { textOfUser } from "./record.ts";

/** Quadratic work takes many minutes with the sizes below. */
function expectQuick(work: () => void): void {
  const start = performance.now();
  work();
  expect(performance.now() - start).toBeLessThan(DEADLINE_MS);
}

const searches = (count: number): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, at) => ({
    type: "assistant",
    message: {
      id: "msg_1",
      model: "made-model",
      content: [{ type: "tool_use", id: `toolu_${at}`, name: "WebSearch", input: {} }],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  }));

describe("a hostile transcript", () => {
  it.each(["<command-message></command-message>", "<command-args>", "<command-name>"])(
    "is not slow for a prompt made only of %s",
    (tag) => {
      const content = `<command-message></command-message>${tag.repeat(150_000)}`;
      expectQuick(() => textOfUser({ type: "user", message: { role: "user", content } }));
    },
  );

  it("is not slow for a reply of very many calls", () => {
    const records = searches(150_000);
    expectQuick(() => expect(buildReply(records, () => undefined).toolCalls).toHaveLength(records.length));
  });

  it("is not slow for a reply of very many searches, and counts each", () => {
    const bill = new Bill("session");
    const records = searches(120_000);
    expectQuick(() => {
      for (const record of records) bill.see(record);
      for (const at of records.keys()) {
        const content = [{ type: "tool_result", tool_use_id: `toolu_${at}`, content: "x" }];
        bill.see({ type: "user", message: { content }, toolUseResult: { searchCount: 1 } });
      }
    });
    expect(bill.usage.records(undefined)).toEqual([expect.objectContaining({ webSearches: records.length })]);
  });
});
