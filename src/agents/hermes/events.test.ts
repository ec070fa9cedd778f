import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { hermesEvents } from "./events.ts";

function reportFile(content: string): string {
  const directory = mkdtempSync(join(tmpdir(), "amux-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "usage.json");
  writeFileSync(path, content);
  return path;
}

const open = (usageFile: string) =>
  hermesEvents({ cwd: "/home/user/shop", session: { kind: "new" }, now: () => 0 }, usageFile);

it("returns the text as it arrives and the rest at the end", () => {
  const report = {
    session_id: "20261115_014403_ab12cd",
    model: "hermes-4",
    input_tokens: 100,
    output_tokens: 20,
    estimated_cost_usd: 0.002,
  };
  const stream = open(reportFile(JSON.stringify(report)));
  expect(stream.begin!()).toEqual([{ type: "turn_start", turnIndex: 0 }]);
  expect([...stream.line("Two files:"), ...stream.line("- a.js")]).toEqual([
    { type: "message_start" },
    { type: "text_delta", delta: "Two files:", accumulated: "Two files:" },
    { type: "text_delta", delta: "\n- a.js", accumulated: "Two files:\n- a.js" },
  ]);
  expect(stream.end({ exitCode: 0, stderr: "" })).toMatchObject([
    { type: "message_stop", text: "Two files:\n- a.js" },
    { type: "session_start", sessionId: "20261115_014403_ab12cd", model: "hermes-4" },
    { type: "token_usage", inputTokens: 100, outputTokens: 20 },
    { type: "cost", cost: { totalUsd: 0.002 } },
    { type: "turn_end" },
  ]);
});

it("knows no session when the report was not written", () => {
  const stream = open(reportFile(""));
  stream.begin!();
  expect(stream.end({ exitCode: 1, stderr: "Error: 429 Too Many Requests" })).toEqual([
    { type: "rate_limit_error", message: "Error: 429 Too Many Requests" },
    { type: "turn_end", turnIndex: 0 },
  ]);
});
