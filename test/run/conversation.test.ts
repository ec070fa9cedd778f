/** Prompts, approvals and interruptions during a run, and retries. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClient, type AgentEvent, type RunHandle, type RunOptions } from "../../src/index.ts";
import { fakeAgent, type FakeAgent } from "../support/fake-agent.ts";
import { holdClock } from "../support/held-clock.ts";
import { waitFor } from "../support/wait-for.ts";

function start(fake: FakeAgent, prompt: string, options: Partial<RunOptions> = {}): RunHandle {
  return createClient({ env: fake.env }).run({ agent: "claude", prompt, cwd: fake.home.path, ...options });
}

async function texts(run: RunHandle): Promise<string[]> {
  const said: string[] = [];
  for await (const event of run) if (event.type === "message_stop") said.push(event.text);
  return said;
}

describe("an agent that accepts input", () => {
  it("ends after the answer when there is no more input", async () => {
    const run = start(fakeAgent("claude", "talker"), "hello");
    expect(await texts(run)).toEqual(["You said: hello"]);
    expect(await run).toMatchObject({ exitReason: "completed", turnCount: 1 });
  });

  it("takes queued prompts one turn after another in one process", async () => {
    const fake = fakeAgent("claude", "talker");
    const run = start(fake, "one");
    await run.queue("two");
    await run.continue("three");
    expect(await texts(run)).toEqual(["You said: one", "You said: two", "You said: three"]);
    expect(await run).toMatchObject({ turnCount: 3, cost: { totalUsd: 0.03 } });
    expect(fake.notes().filter((line) => line.startsWith("["))).toHaveLength(1);
  });

  it("continues when the caller answers the end of a turn", async () => {
    const run = start(fakeAgent("claude", "talker"), "one");
    let turns = 0;
    run.on("turn_end", () => {
      if (++turns === 1) void run.continue("two");
    });
    expect(await texts(run)).toEqual(["You said: one", "You said: two"]);
  });

  it("takes a prompt in the middle of a turn", async () => {
    const fake = fakeAgent("claude", "talker");
    const run = start(fake, "work");
    await waitFor("the run to tell its session", () => run.sessionId);
    await run.steer("rather this");
    expect(await texts(run)).toEqual(["You said: rather this"]);
  });

  it("is interrupted by a message, not by a signal", async () => {
    const fake = fakeAgent("claude", "talker");
    const run = start(fake, "work");
    await waitFor("the run to tell its session", () => run.sessionId);
    await run.interrupt();
    expect(await run).toMatchObject({ exitReason: "interrupted", exitCode: 0 });
    expect(fake.notes().some((line) => line.includes('"interrupt"'))).toBe(true);
  });
});

describe("approvals", () => {
  it("are given by a function", async () => {
    const asked: string[] = [];
    const run = start(fakeAgent("claude", "talker"), "ask make test", {
      onApprovalRequest: ({ detail }) => {
        asked.push(detail);
        return "approve";
      },
    });
    const events: AgentEvent[] = [];
    for await (const event of run) events.push(event);
    expect(asked).toEqual(["make test"]);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["approval_request", "approval_granted"]));
    expect(await run).toMatchObject({ text: "I ran it." });
  });

  it("are refused by a function that throws", async () => {
    const run = start(fakeAgent("claude", "talker"), "ask make test", {
      onApprovalRequest: () => {
        throw new Error("nobody there");
      },
    });
    expect(await run).toMatchObject({ text: "I did not: nobody there" });
  });

  it("wait for the handle, and the time limit pauses meanwhile", async () => {
    const { pass } = holdClock();
    const run = start(fakeAgent("claude", "talker"), "ask rm -rf /", {
      approvalMode: "prompt",
      inactivityTimeout: 60_000,
    });
    await expect.poll(() => run.interaction.pending).toHaveLength(1);
    expect(run.interaction.pending[0]).toMatchObject({
      type: "approval",
      description: "Bash: rm -rf /",
      detail: { riskLevel: "high" },
    });
    await pass(3_600_000);
    await run.deny("never");
    expect(await run).toMatchObject({ exitReason: "completed", text: "I did not: never" });
    await expect(run.approve()).rejects.toMatchObject({ code: "NO_PENDING_INTERACTION" });
  });

  it("are not requested when nobody can answer", async () => {
    const fake = fakeAgent("claude", "talker");
    await start(fake, "hello");
    expect(fake.notes()[0]).not.toContain("--permission-prompt-tool");
  });
});

describe("an agent that accepts no input", () => {
  const STREAMS = join(import.meta.dirname, "../../src/agents/claude/fixtures/stream");

  it("is started again on its session for a queued prompt", async () => {
    const fake = fakeAgent("claude", "replay", { FAKE_STREAM: join(STREAMS, "qa-partial.jsonl") });
    const run = start(fake, "one", { nonInteractive: true });
    await run.queue("two");
    expect(await run).toMatchObject({ turnCount: 2, exitReason: "completed" });
    const calls = fake.notes().map((line) => JSON.parse(line) as { argv: string[]; stdin: string });
    expect(calls).toHaveLength(2);
    expect(calls[1]!.argv.join(" ")).toContain("--resume c3fae41e-77d8-43d0-8f86-4a65919c07a8");
    expect(calls[1]!.stdin).toContain('"two"');
  });

  it("takes nothing in the middle of a turn", async () => {
    const fake = fakeAgent("claude", "hang");
    const run = start(fake, "one", { nonInteractive: true });
    await waitFor("the run to tell its session", () => run.sessionId);
    await expect(run.send("x")).rejects.toMatchObject({ code: "STDIN_NOT_AVAILABLE" });
    await expect(run.steer("x")).rejects.toMatchObject({ code: "CAPABILITY_ERROR" });
    await expect(run.queue("x", { when: "after-tool" })).rejects.toMatchObject({ code: "CAPABILITY_ERROR" });
    await run.abort();
    await expect(run.queue("x")).rejects.toMatchObject({ code: "RUN_NOT_ACTIVE" });
  });
});

describe("retries", () => {
  const busy = (vars = {}): FakeAgent => {
    const fake = fakeAgent("claude", "busy", vars);
    fake.env.vars["FAKE_COUNT"] = join(fake.home.path, "count");
    return fake;
  };
  const retryPolicy = { baseDelayMs: 20, maxDelayMs: 100 };

  it("recover from a refusal", async () => {
    const run = start(busy({ FAKE_REFUSALS: "2" }), "Hi", { retryPolicy });
    const retries: number[] = [];
    run.on("retry", ({ attempt }) => retries.push(attempt));
    expect(await run).toMatchObject({ exitReason: "completed", text: "At last.", error: null });
    expect(retries).toEqual([2, 3]);
  });

  it("give up in the end", async () => {
    const run = start(busy({ FAKE_REFUSALS: "9" }), "Hi", { retryPolicy });
    expect(await run).toMatchObject({ exitReason: "crashed", error: { code: "RATE_LIMITED", recoverable: true } });
  });

  it("repeat nothing: an agent that has acted is not started again", async () => {
    const fake = busy({ FAKE_REFUSALS: "1", FAKE_TOOL: "1" });
    expect(await start(fake, "Hi", { retryPolicy })).toMatchObject({ error: { code: "RATE_LIMITED" } });
  });

  it("stop waiting when the run is aborted", async () => {
    const run = start(busy(), "Hi", { retryPolicy: { baseDelayMs: 60_000, maxDelayMs: 60_000 } });
    await new Promise((resolve) => {
      run.on("retry", resolve);
    });
    await run.abort();
    expect(await run).toMatchObject({ exitReason: "aborted" });
  });
});
