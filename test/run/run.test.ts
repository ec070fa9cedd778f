/** A run from the outside, with real processes as the agent. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClient, type AgentEvent, type AgentMuxError } from "../../src/index.ts";
import { fakeAgent } from "../support/fake-agent.ts";

const STREAMS = join(import.meta.dirname, "../../src/agents/claude/fixtures/stream");

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const seen: AgentEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

describe("a successful run", () => {
  const start = (options = {}) => {
    const fake = fakeAgent("claude", "replay", { FAKE_STREAM: join(STREAMS, "tools-1.jsonl"), CLAUDECODE: "1" });
    const client = createClient({ env: fake.env });
    const run = client.run({
      agent: "claude",
      prompt: "Add GET /health",
      cwd: fake.home.path,
      nonInteractive: true,
      ...options,
    });
    return { fake, client, run };
  };

  it("gives the events of the recording and their totals as result", async () => {
    const { run } = start({ tags: ["ci"] });
    const events = await collect(run);
    const result = await run;
    expect(events[0]).toMatchObject({ type: "session_start", runId: run.runId, agent: "claude" });
    expect(events.at(-1)).toMatchObject({ type: "session_end", turnCount: 1, cost: { totalUsd: 0.09693959999999999 } });
    expect({ ...result, durationMs: 0 }).toEqual({
      runId: run.runId,
      agent: "claude",
      model: "claude-opus-5-5",
      sessionId: "dfb61421-d08a-4f49-8f45-e72d5dab1652",
      text: "Added `GET /health`; the test run reports no failures.",
      cost: {
        totalUsd: 0.09693959999999999,
        inputTokens: 24,
        outputTokens: 359,
        thinkingTokens: 0,
        cachedTokens: 46743,
        cacheWriteTokens: 16063,
        cacheWrite1hTokens: 0,
        kind: "reported",
      },
      durationMs: 0,
      exitCode: 0,
      signal: null,
      exitReason: "completed",
      tokenUsage: {
        inputTokens: 24,
        outputTokens: 359,
        thinkingTokens: 0,
        cachedTokens: 46743,
        cacheWriteTokens: 16063,
        totalTokens: 63189,
      },
      turnCount: 1,
      error: null,
      events: [],
      tags: ["ci"],
    });
    expect(run.state).toBe("completed");
  });

  it("starts the agent with its flags, the prompt on standard input, and no sign of being nested", async () => {
    const { fake, run } = start({
      model: "opus",
      thinkingEffort: "high",
      approvalMode: "deny",
      systemPrompt: "Be brief.",
    });
    await run;
    const [started] = fake.notes().map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(started).toEqual({
      argv: [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--include-partial-messages",
        "--model",
        "opus",
        "--effort",
        "high",
        "--permission-mode",
        "dontAsk",
        "--append-system-prompt",
        "Be brief.",
      ],
      cwd: fake.home.path,
      stdin: `${JSON.stringify({ type: "user", message: { role: "user", content: "Add GET /health" } })}\n`,
      nested: null,
    });
  });

  it("gives several readers every event, even a late one", async () => {
    const { run } = start();
    const [first, second] = await Promise.all([collect(run), collect(run)]);
    const late = await collect(run);
    expect(second).toEqual(first);
    expect(late).toEqual(first);
    expect(first.length).toBeGreaterThan(20);
  });

  it("keeps all events in the result on request", async () => {
    const { run } = start({ collectEvents: true });
    const events = await collect(run);
    expect((await run).events).toEqual(events);
  });

  it("calls handlers by type, once where requested, and survives one that throws", async () => {
    const { run } = start();
    const tools: string[] = [];
    let stops = 0;
    const unwanted = (): void => void stops++;
    run.on("tool_call_ready", (event) => tools.push(event.toolName));
    run.once("message_stop", unwanted).on("turn_start", () => {
      throw new Error("my mistake");
    });
    run.on("cost", unwanted).off("cost", unwanted);
    const events = await collect(run);
    expect(tools).toEqual(["Read", "Edit", "Bash"]);
    expect(stops).toBe(1);
    expect(events.find((event) => event.type === "debug")).toMatchObject({ message: "A handler threw: my mistake" });
  });

  it("is in the run index, so that the session has its tags", async () => {
    const { fake, run } = start({ tags: ["ci", "nightly"] });
    const { runId, sessionId } = await run;
    const lines = readFileSync(join(fake.home.path, ".agent-mux/run-index.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        v: 1,
        runId,
        agent: "claude",
        model: "claude-opus-5-5",
        sessionId,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        cost: expect.objectContaining({ totalUsd: 0.09693959999999999, inputTokens: 24 }),
        tags: ["ci", "nightly"],
      },
    ]);
    expect(Buffer.byteLength(lines[0]!)).toBeLessThan(512);
  });

  it("is in the index under the session it was to resume, even if the agent ended before it named one", async () => {
    const fake = fakeAgent("claude", "crash", { FAKE_SILENT: "1" });
    const wanted = { agent: "claude", prompt: "Hi", cwd: fake.home.path };
    const client = createClient({ env: fake.env });
    const sessionId = "11111111-2222-4333-8444-555555555555";
    expect(await client.run({ ...wanted, sessionId, tags: ["again"] })).toMatchObject({ sessionId: null });
    await client.run(wanted);
    const lines = readFileSync(join(fake.home.path, ".agent-mux/run-index.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { sessionId?: string }).sessionId)).toEqual([sessionId, undefined]);
  });
});

describe("an impossible run", () => {
  const client = createClient({ env: { home: "/nonexistent", vars: { PATH: "/nonexistent", AMUX_HOME: "/tmp" } } });
  const wrong = (options: object): AgentMuxError | undefined => {
    try {
      client.run({ agent: "claude", prompt: "Hi", ...options });
    } catch (error) {
      return error as AgentMuxError;
    }
    return undefined;
  };

  it.each([
    [{ prompt: " " }, "prompt must be a text that is not empty"],
    [{ temperature: 3 }, "temperature must be a number from 0 to 2"],
    [{ thinkingBudgetTokens: 100 }, "thinkingBudgetTokens must be a whole number from 1024 up"],
    [{ cwd: "relative" }, "cwd must be an absolute path of a directory that exists"],
    [{ timeout: -1 }, "timeout must be milliseconds, 0 or more"],
    [{ runId: "nope" }, "runId must be a ULID"],
    [{ env: { "A=B": "x" } }, "env must be texts by variable name"],
    [{ sessionId: "a", forkSessionId: "b" }, "sessionId, forkSessionId exclude each other"],
    [{ verbose: true }, expect.stringMatching(/^verbose is not a setting\. Settings: .*\bmodel\b/)],
    [{ tags: ["a\nb"] }, "tags must be at most 16 tags of at most 64 characters"],
    [
      { retryPolicy: { maxAttempts: 0 } },
      "retryPolicy must be { maxAttempts, baseDelayMs, maxDelayMs, jitterFactor, retryOn }",
    ],
  ])("reports at once what is wrong with %j", (options, message) => {
    expect(wrong(options)).toMatchObject({ code: "VALIDATION_ERROR", message });
  });

  it("names all wrong fields with what was expected", () => {
    expect(wrong({ prompt: "", topP: 2 })).toMatchObject({
      name: "ValidationError",
      fields: [
        { field: "prompt", received: "", expected: "a text that is not empty" },
        { field: "topP", received: 2, expected: "a number from 0 to 1" },
      ],
    });
  });

  it("knows its agents", () => {
    expect(wrong({ agent: "klaude" })).toMatchObject({ code: "AGENT_NOT_FOUND" });
  });

  it("reports that the agent is not installed, as a result", async () => {
    const fake = fakeAgent("something-else", "crash");
    const result = await createClient({ env: fake.env }).run({ agent: "claude", prompt: "Hi", cwd: fake.home.path });
    expect(result).toMatchObject({
      exitReason: "crashed",
      error: { code: "AGENT_NOT_INSTALLED", message: "claude is not on the PATH; install Claude Code first." },
    });
  });

  it("refuses what the agent does not support", async () => {
    const fake = fakeAgent("claude", "crash");
    const run = createClient({ env: fake.env }).run({
      agent: "claude",
      prompt: "Hi",
      cwd: fake.home.path,
      temperature: 1,
    });
    const events = await collect(run);
    const message = "Claude Code cannot honour temperature when it runs without a terminal.";
    expect(events).toMatchObject([{ type: "error", code: "CAPABILITY_ERROR", message }]);
    expect(await run).toMatchObject({ exitReason: "crashed", error: { code: "CAPABILITY_ERROR", message } });
    expect(fake.notes()).toEqual([]);
  });
});
