import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { replay } from "../../../test/support/agents/stream-conformance.ts";
import { openclawEvents } from "./events.ts";

const path = (name: string) => join(import.meta.dirname, "fixtures/stream", name);
const open = (id = "demo-1") => openclawEvents({ cwd: "/home/user/shop", session: { kind: "new" }, now: () => 0 }, id);

describe("an answer", () => {
  it("arrives as a whole, with its usage", () => {
    const used = {
      inputTokens: 1203,
      outputTokens: 41,
      thinkingTokens: 0,
      cachedTokens: 307,
      cacheWriteTokens: 53,
      cacheWrite1hTokens: 0,
    };
    const text = "It adds up the `name=price` arguments and prints the sum with two decimals.";
    expect(replay(open(), path("c96-local.json"))).toEqual([
      { type: "session_start", sessionId: "demo-1", resumed: false },
      { type: "turn_start", turnIndex: 0 },
      { type: "message_start" },
      { type: "text_delta", delta: text, accumulated: text },
      { type: "message_stop", text },
      { type: "token_usage", ...used, model: "claude-sonnet-4-5" },
      { type: "cost", cost: { totalUsd: 0.00451485, ...used, kind: "reported" } },
      { type: "turn_end", turnIndex: 0 },
    ]);
  });

  it.each(["c96-main.1.json", "c57-main.1.agent.json"])("through the gateway is the same (%s)", (name) => {
    const events = replay(open(""), path(name));
    expect(events.find(({ type }) => type === "message_stop")).toEqual({
      type: "message_stop",
      text: "`addItem` and `total`.",
    });
  });

  it("of the predecessor is read too", () => {
    expect(replay(open(), path("cbot-local.json")).some(({ type }) => type === "message_stop")).toBe(true);
  });

  it("is found after notes of plug-ins", () => {
    const stream = open();
    stream.line("[plugins] loaded");
    for (const line of readFileSync(path("c96-local.json"), "utf8").split("\n")) stream.line(line);
    expect(stream.end({ exitCode: 0, stderr: "" }).some(({ type }) => type === "message_stop")).toBe(true);
  });
});

describe("failures", () => {
  it("are reported by the document", () => {
    expect(replay(open(), path("c96-error.1.json")).filter(({ type }) => type === "error")).toEqual([
      {
        type: "error",
        code: "AGENT_CRASH",
        message: "LLM request failed: provider rejected the request schema or tool payload.",
        recoverable: false,
      },
    ]);
  });

  it("without one show what was printed", () => {
    const stream = open();
    stream.line("{ torn");
    expect(stream.end({ exitCode: 1, stderr: "gateway: unauthorized" })).toEqual([
      { type: "log", source: "stdout", line: "{ torn" },
      {
        type: "auth_error",
        message: "gateway: unauthorized",
        guidance: "Run openclaw models auth login, or openclaw configure.",
      },
    ]);
  });
});
