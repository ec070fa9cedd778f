/**
 * What a run leaves behind: its session has the reported id, the run's tags and the run's cost. Stream and store come from the
 * same real run.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import { createClient, type RunOptions } from "../../src/index.ts";
import { fakeAgent } from "../support/fake-agent.ts";
import { holdClock } from "../support/held-clock.ts";

const AGENTS = join(import.meta.dirname, "../../src/agents");

it.each([
  ["claude", "qa-partial.jsonl", {}],
  ["claude", "subagent.jsonl", {}],
  ["codex", "codemode.jsonl", {}],
  ["codex", "subagent-v1.jsonl", {}],
  ["codex", "tools-fork.jsonl", { forkSessionId: "01a1dce3-be63-7800-b4f5-ed1ce14c8719" }],
  ["gemini", "g04.stream.jsonl", {}],
  ["copilot", "c04.events.jsonl", {}],
  ["opencode", "o04.events.jsonl", {}],
  ["openclaw", "c96-local.json", {}],
  ["qwen", "03-1.jsonl", {}],
  ["droid", "01-qa.jsonl", {}],
] as [string, string, Partial<RunOptions>][])("%s: the session of %s", async (agent, stream, options) => {
  const fake = fakeAgent(agent, "replay", { FAKE_STREAM: join(AGENTS, agent, "fixtures/stream", stream) });
  const env = { ...fake.env, home: join(AGENTS, agent, "fixtures/home") };
  const vars = { ...fake.env.vars, AMUX_HOME: fake.home.path };
  const client = createClient({ env: { ...env, vars } });
  const result = await client.run({
    agent,
    prompt: "Go",
    cwd: fake.home.path,
    tags: ["made-here"],
    nonInteractive: true,
    ...options,
  });
  expect(result).toMatchObject({ exitReason: "completed", error: null });
  const [session] = await client.sessions.list(agent, { tags: ["made-here"], counts: true });
  expect(session?.sessionId).toBe(result.sessionId);
  // Some report it while they run, some only in their files.
  expect(result.model).not.toBeNull();
  const { subagents: _, ...cost } = session!.cost!;
  expect(result.cost).toEqual({ ...cost, totalUsd: expect.closeTo(cost.totalUsd, 9) });
});

it("a resumed run says how many turns the session had", async () => {
  const sessionId = "01a1dce3-be63-7800-b4f5-ed1ce14c8719";
  const fake = fakeAgent("codex", "replay", {
    FAKE_STREAM: join(AGENTS, "codex/fixtures/stream/tools-3-resume.jsonl"),
  });
  const env = { ...fake.env, home: join(AGENTS, "codex/fixtures/home") };
  const client = createClient({ env: { ...env, vars: { ...fake.env.vars, AMUX_HOME: fake.home.path } } });
  const { summary } = await client.sessions.open("codex", sessionId);
  // The run does not wait long for the number.
  holdClock();
  const run = client.run({ agent: "codex", prompt: "Go", cwd: fake.home.path, nonInteractive: true, sessionId });
  const resumes = [];
  for await (const event of run) if (event.type === "session_resume") resumes.push(event);
  expect(resumes).toMatchObject([{ sessionId, priorTurnCount: summary.turnCount }]);
  expect(summary.turnCount).toBeGreaterThan(1);
});
