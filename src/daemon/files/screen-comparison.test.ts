import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FoundConversation } from "./found-conversation.ts";
import { ScreenComparison } from "./screen-comparison.ts";

const WORDS = "Write the documentation of the health route, with one example for each answer.";

function found(sessionId: string, updatedMs = 0): FoundConversation {
  return { agent: "pi", sessionId, path: `/${sessionId}`, title: "", createdMs: 0, updatedMs, hidden: false };
}

describe("comparing screens with a conversation", () => {
  let screens: Record<string, string> = {};
  let results: string[] = [];
  let comparison: ScreenComparison;

  beforeEach(() => {
    vi.useFakeTimers();
    screens = { a: "", b: "" };
    results = [];
    comparison = new ScreenComparison({
      screen: async (id) => screens[id] ?? Promise.reject(new Error("ended")),
      lastWords: async () => WORDS,
      onSeen: ({ sessionId }, id) => results.push(`${sessionId} in ${id}`),
      onUnseen: ({ sessionId, updatedMs }) => results.push(`${sessionId} unseen at ${updatedMs}`),
    });
  });
  afterEach(() => {
    comparison.close();
    vi.useRealTimers();
  });

  it("finds the one that shows it, as soon as it does", async () => {
    comparison.ask(found("one"), ["a", "b"]);
    await vi.advanceTimersByTimeAsync(600);
    expect(results).toEqual([]);
    screens["b"] = WORDS;
    await vi.advanceTimersByTimeAsync(500);
    expect(results).toEqual(["one in b"]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(results).toHaveLength(1);
  });

  it("says once that none shows it, even if it is written all the time", async () => {
    for (let at = 0; at < 16; at++) {
      comparison.ask(found("one", at), ["a", "gone"]);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(results).toEqual(["one unseen at 14"]);
  });

  it("looks at a few only; more are unseen at once", async () => {
    for (let at = 0; at < 20; at++) comparison.ask(found(String(at)), ["a"]);
    expect(results).toEqual(["16", "17", "18", "19"].map((id) => `${id} unseen at 0`));
  });
});
