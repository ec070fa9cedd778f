/** What the recordings cost, in millionths of a dollar. Only a new price or a new recording may change these figures. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { clientOf } from "../support/made-agent.ts";

const AGENTS = join(import.meta.dirname, "../../src/agents");

it.each([
  ["claude", 1_221_418],
  ["codex", 648_373],
  ["copilot", 828_935],
  ["gemini", 184_724],
  ["hermes", 124_090],
  ["omp", 335_909],
  ["openclaw", 285_253],
  ["opencode", 487_639],
  ["pi", 572_660],
])("the recordings of %s cost the same as ever", async (agent, microUsd) => {
  const { sessions } = clientOf(join(AGENTS, agent, "fixtures/home"));
  const { totalUsd } = await sessions.totalCost({ index: "none" });
  expect(Math.round(totalUsd * 1e6)).toBe(microUsd);
});
