import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FIXTURES, openHome } from "../../../test/support/agents/openclaw-homes.ts";

const home = openHome(join(FIXTURES, "home-documented"));
const TELEGRAM = "order-42@telegram";

describe("a document of the documented layout", () => {
  it("has its title, dates, model and directory", () => {
    expect(home.head(TELEGRAM)).toMatchObject({
      title: "Order 42",
      cwd: "/home/user/dev/shop-cli",
      model: "claude-sonnet-4-5",
      createdMs: Date.parse("2026-11-15T09:00:00.000Z"),
      updatedMs: Date.parse("2026-11-15T09:05:00.000Z"),
    });
    expect(home.head("order-42").title).toBe("Where is order 42, again?");
  });

  it("is a conversation", () => {
    expect(home.messages(TELEGRAM)).toMatchObject([
      { role: "user", content: "Where is order 42?", timestamp: new Date("2026-11-15T09:00:00.000Z") },
      {
        role: "assistant",
        content: "I look it up.",
        thinking: "The orders file.",
        timestamp: new Date("2026-11-15T09:00:02.000Z"),
        model: "claude-sonnet-4-5",
        toolCalls: [
          { toolCallId: "t1", toolName: "read", input: { path: "orders.csv" }, output: "42;shipped", durationMs: 1000 },
        ],
        tokenUsage: { inputTokens: 100, outputTokens: 20, thinkingTokens: 5, cachedTokens: 30, cacheWriteTokens: 10 },
      },
      {
        role: "tool",
        content: "42;shipped",
        timestamp: new Date("2026-11-15T09:00:03.000Z"),
        toolResult: { toolCallId: "t1", toolName: "read", output: "42;shipped" },
      },
      {
        role: "assistant",
        content: "It was shipped.",
        timestamp: new Date("2026-11-15T09:00:05.000Z"),
        model: "claude-sonnet-4-5",
        tokenUsage: { inputTokens: 50, outputTokens: 6 },
      },
      { role: "system", content: "The chat was moved.", timestamp: new Date("2026-11-15T09:05:00.000Z") },
    ]);
  });

  it("is billed by message", () => {
    const usage = [...home.read(TELEGRAM).usage()];
    expect(usage.map(({ reportedMicroUsd }) => reportedMicroUsd)).toEqual([1200, 400]);
    expect(usage[0]!.tokens).toEqual({
      input: 100,
      cached: 30,
      cacheWrite: 10,
      cacheWrite1h: 0,
      output: 20,
      thinking: 5,
    });
  });

  it("without counts has an unknown cost, not zero", () => {
    expect(home.read("order-42").head.usageUnknown).toBe(true);
    expect([...home.read("order-42").usage()]).toEqual([]);
  });

  it("names its channel in raw", () => {
    expect(home.read(TELEGRAM).raw()).toMatchObject({ channel: "telegram", title: "Order 42" });
    expect(home.read("order-42").raw()).toMatchObject({ channel: "cli" });
  });
});
