/** What the recordings cost, in millionths of a dollar. Only a new price or a new recording may change these figures. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { clientOf } from "../support/made-agent.ts";

const AGENTS = join(import.meta.dirname, "../../src/agents");

it.each([
  ["claude", 1_221_418],
  ["cline", 0],
  ["cn", 41_276],
  ["codex", 648_373],
  ["copilot", 828_935],
  ["droid", 0],
  ["gemini", 184_724],
  ["grok", 6_693],
  ["hermes", 124_090],
  ["kilo", 102_718],
  ["kimi", 18_066],
  ["omp", 335_909],
  ["openclaw", 285_253],
  ["opencode", 487_639],
  ["pi", 572_660],
  ["qwen", 26_498],
])("the recordings of %s cost the same as ever, also in a report with dates", async (agent, microUsd) => {
  const { sessions } = clientOf(join(AGENTS, agent, "fixtures/home"));
  const total = await sessions.totalCost({ index: "none" });
  expect(Math.round(total.totalUsd * 1e6)).toBe(microUsd);
  expect(total.inputTokens).toBeGreaterThan(0);
  expect(await sessions.totalCost({ index: "none", since: new Date(1) })).toEqual(total);
});
