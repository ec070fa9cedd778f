import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { createRunId } from "./run-id.ts";
import { appendRun, type RunRecord } from "./run-index.ts";

const record = (fields: Partial<RunRecord> = {}): RunRecord => ({
  runId: createRunId(),
  agent: "codex",
  model: "gpt-5.5",
  sessionId: "01a1dce3-be63-7800-b4f5-ed1ce14c8719",
  cost: null,
  tags: [],
  ...fields,
});
const lines = (home: string): string[] => readFileSync(join(home, "run-index.jsonl"), "utf8").split("\n").slice(0, -1);

it("writes whole lines when many write at once", async () => {
  const home = tempHome().path;
  await Promise.all(Array.from({ length: 50 }, (_, i) => appendRun(home, record({ tags: [`t${i}`] }))));
  const tags = lines(home).map((line) => (JSON.parse(line) as { tags: string[] }).tags[0]);
  expect(new Set(tags).size).toBe(50);
});

it("does not complete a torn line", async () => {
  const home = tempHome().path;
  mkdirSync(home, { recursive: true });
  appendFileSync(join(home, "run-index.jsonl"), '{"v":1,"runId":"01M7');
  await appendRun(home, record());
  expect(lines(home)).toHaveLength(2);
  expect(JSON.parse(lines(home)[1]!)).toMatchObject({ v: 1, agent: "codex" });
});

it("keeps a line below 512 bytes by omitting details of the cost", async () => {
  const home = tempHome().path;
  const cost = {
    totalUsd: 0.12345678912345,
    inputTokens: 123456789,
    outputTokens: 123456789,
    thinkingTokens: 123456789,
    cachedTokens: 123456789,
    cacheWriteTokens: 123456789,
    cacheWrite1hTokens: 123456789,
    kind: "reported" as const,
  };
  await appendRun(home, record({ cost, tags: ["a".repeat(60), "b".repeat(60)] }));
  expect(Buffer.byteLength(lines(home)[0]!)).toBeLessThan(512);
  expect(JSON.parse(lines(home)[0]!)).toMatchObject({
    cost: { totalUsd: 0.12345678912345 },
    tags: [expect.any(String), expect.any(String)],
  });
});

it("omits an unknown cost", async () => {
  const home = tempHome().path;
  await appendRun(home, record({ cost: { totalUsd: 0, inputTokens: 0, outputTokens: 0, kind: "unknown" } }));
  expect(JSON.parse(lines(home)[0]!)).not.toHaveProperty("cost");
});
