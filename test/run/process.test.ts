/** Badly behaved processes behind a run. */
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClient, type AgentEvent, type RunOptions } from "../../src/index.ts";
import { fakeAgent, isAlive, type FakeAgent } from "../support/fake-agent.ts";
import { holdClock } from "../support/held-clock.ts";
import { processState } from "../support/process-state.ts";
import { waitFor } from "../support/wait-for.ts";

function start(fake: FakeAgent, options: Partial<RunOptions> = {}) {
  const client = createClient({ env: fake.env });
  return client.run({ agent: "claude", prompt: "Hi", cwd: fake.home.path, nonInteractive: true, ...options });
}

const MINUTE = 60_000;

const noRetry = { retryPolicy: { maxAttempts: 1 } };

const pidIn = (fake: FakeAgent, what: string): number =>
  Number(
    fake
      .notes()
      .find((line) => line.startsWith(what))
      ?.split(" ")[1],
  );

describe("a crash", () => {
  it("is reported with its exit code and the last output", async () => {
    const run = start(fakeAgent("claude", "crash"), noRetry);
    const events: AgentEvent[] = [];
    for await (const event of run) events.push(event);
    expect(events.find(({ type }) => type === "crash")).toMatchObject({ exitCode: 3 });
    expect(await run).toMatchObject({
      exitReason: "crashed",
      exitCode: 3,
      error: {
        code: "AGENT_CRASH",
        message: "Claude Code ended with exit code 3: fatal: the disk is on fire",
        stderr: "loading plug-ins\nfatal: the disk is on fire\n",
        recoverable: true,
      },
    });
    expect(run.state).toBe("crashed");
  });

  it("is not retried when the agent never began", async () => {
    const fake = fakeAgent("claude", "crash", { FAKE_SILENT: "1" });
    expect(await start(fake)).toMatchObject({ error: { code: "AGENT_CRASH", recoverable: false } });
    expect(fake.notes()).toEqual(["started"]);
  });

  it("by a signal is reported as one", async () => {
    const fake = fakeAgent("claude", "hang");
    const run = start(fake, noRetry);
    process.kill(await waitFor("the agent's process", () => pidIn(fake, "pid") || undefined), "SIGKILL");
    expect(await run).toMatchObject({ exitReason: "killed", signal: "SIGKILL", error: { code: "AGENT_CRASH" } });
  });
});

describe("ending a run", () => {
  it("aborts an agent that reacts to SIGTERM, and keeps its output", async () => {
    const fake = fakeAgent("claude", "hang");
    const run = start(fake);
    await waitFor("the agent's process", () => pidIn(fake, "pid") || undefined);
    await run.abort();
    expect(await run).toMatchObject({ exitReason: "aborted", text: "Thinking abo", error: { code: "ABORTED" } });
    expect(fake.notes()).toContain("SIGTERM");
    expect(isAlive(pidIn(fake, "pid"))).toBe(false);
    expect(run.state).toBe("aborted");
    await run.abort();
  });

  it("kills an agent that does not, with everything it started", async () => {
    const fake = fakeAgent("claude", "stubborn");
    const { pass } = holdClock();
    const run = start(fake, { gracePeriodMs: MINUTE });
    await expect.poll(() => run.sessionId).toBeTruthy();
    const aborted = run.abort();
    await expect.poll(() => fake.notes()).toContain("SIGTERM");
    expect(isAlive(pidIn(fake, "pid"))).toBe(true);
    await expect.poll(() => pass(MINUTE).then(() => run.state)).toBe("aborted");
    await aborted;
    expect(await run).toMatchObject({ exitReason: "aborted", signal: "SIGKILL" });
    expect(isAlive(pidIn(fake, "pid"))).toBe(false);
    expect(isAlive(pidIn(fake, "child"))).toBe(false);
  });

  it("is possible before anything has started", async () => {
    const fake = fakeAgent("claude", "hang");
    const run = start(fake);
    await run.abort();
    expect(await run).toMatchObject({ exitReason: "aborted", exitCode: null });
    expect(fake.notes()).toEqual([]);
  });

  it("cleans up what an agent left behind, and does not wait for its pipe", async () => {
    const fake = fakeAgent("claude", "parent");
    expect(await start(fake)).toMatchObject({ exitReason: "completed", text: "Done." });
    expect(isAlive(pidIn(fake, "child"))).toBe(false);
  });

  it("interrupts like Ctrl-C", async () => {
    const fake = fakeAgent("claude", "hang");
    const run = start(fake);
    await waitFor("the agent's process", () => pidIn(fake, "pid") || undefined);
    await run.interrupt();
    expect(await run).toMatchObject({ exitReason: "interrupted", exitCode: 130, error: { code: "ABORTED" } });
    expect(fake.notes()).toContain("SIGINT");
    await expect(run.interrupt()).rejects.toMatchObject({ code: "RUN_NOT_ACTIVE" });
  });

  it("leaves no process when the program that started it ends", async () => {
    const fake = fakeAgent("claude", "stubborn");
    const script = `
      import { createClient } from ${JSON.stringify(join(import.meta.dirname, "../../dist/index.js"))};
      const run = createClient().run({ agent: "claude", prompt: "Hi", tags: ["cut"] });
      run.on("session_start", () => process.exit(7));`;
    const { spawn } = await import("node:child_process");
    const program = spawn(process.execPath, ["--input-type=module", "-e", script], {
      env: fake.env.vars,
      cwd: fake.home.path,
    });
    const code = await new Promise((resolve) => program.on("exit", resolve));
    expect(code).toBe(7);
    await waitFor("the end of the agent", () => ["pid", "child"].every((what) => !isAlive(pidIn(fake, what))));
    const index = readFileSync(join(fake.home.path, ".agent-mux/run-index.jsonl"), "utf8");
    expect(JSON.parse(index)).toMatchObject({ agent: "claude", tags: ["cut"], sessionId: expect.any(String) });
  });
});

describe("time limits", () => {
  it("end a run that takes too long", async () => {
    const fake = fakeAgent("claude", "hang");
    const run = start(fake, { timeout: 400 });
    const events: AgentEvent[] = [];
    for await (const event of run) events.push(event);
    expect(events).toContainEqual(expect.objectContaining({ type: "timeout", kind: "run" }));
    expect(await run).toMatchObject({ exitReason: "timeout", error: { code: "TIMEOUT" } });
    expect(run.state).toBe("timed-out");
  });

  it("end a run without output", async () => {
    const result = await start(fakeAgent("claude", "hang"), { inactivityTimeout: 400 });
    expect(result).toMatchObject({ exitReason: "inactivity", error: { code: "INACTIVITY_TIMEOUT" } });
  });

  it("pause while the run is paused", async () => {
    const fake = fakeAgent("claude", "hang");
    const { pass } = holdClock();
    const run = start(fake, { inactivityTimeout: MINUTE });
    await expect.poll(() => pidIn(fake, "pid")).toBeGreaterThan(0);
    const pid = pidIn(fake, "pid");
    await run.pause();
    expect(run.state).toBe("paused");
    await expect(run.pause()).rejects.toMatchObject({ code: "INVALID_STATE_TRANSITION" });
    if (process.platform === "linux") await expect.poll(() => processState(pid)).toBe("T");
    await pass(60 * MINUTE);
    expect([isAlive(pid), run.state]).toEqual([true, "paused"]);
    await run.resume();
    // Its last output may be read only now, and begins a new minute.
    await expect.poll(() => pass(MINUTE).then(() => run.state)).toBe("timed-out");
    expect(await run).toMatchObject({ exitReason: "inactivity" });
  });

  it("do not keep a paused agent from being aborted", async () => {
    const fake = fakeAgent("claude", "hang");
    const run = start(fake);
    await waitFor("the agent's process", () => pidIn(fake, "pid") || undefined);
    await run.pause();
    await run.abort();
    expect(fake.notes()).toContain("SIGTERM");
  });
});

/** An agent that writes 8000 lines and notes how far it got. */
function flood(): FakeAgent {
  const fake = fakeAgent("claude", "flood");
  fake.env.vars["FAKE_PROGRESS"] = join(fake.home.path, "progress");
  return fake;
}

/** How often it sleeps at the same count before it counts as blocked. */
const LOOKS = 10;

/** False for a process that only has to wait for a processor. */
function sleeps(pid: number): boolean {
  return process.platform !== "linux" || processState(pid) === "S";
}

/** How far it got. */
async function untilBlocked(fake: FakeAgent): Promise<number> {
  const path = fake.env.vars["FAKE_PROGRESS"]!;
  let looks: number[] = [];
  const isBlocked = (): boolean => {
    const isAsleep = existsSync(path) && sleeps(pidIn(fake, "pid"));
    looks = [...looks, isAsleep ? Number(readFileSync(path, "utf8")) : 0].slice(-LOOKS);
    return looks.length === LOOKS && looks[0]! > 0 && new Set(looks).size === 1;
  };
  await expect.poll(isBlocked).toBe(true);
  return looks[0]!;
}

describe("output", () => {
  it("is assembled from any chunks, and lines that are not records are passed on", async () => {
    const run = start(fakeAgent("claude", "torn"));
    const logs: string[] = [];
    run.on("log", ({ line }) => logs.push(line));
    expect(await run).toMatchObject({ text: "naïve café 店 👩‍🚀 \u2028 end", exitReason: "completed" });
    expect(logs).toEqual(["Warning: this is no record"]);
  });

  it("waits for a slow reader, and loses nothing", async () => {
    const fake = flood();
    const { pass } = holdClock();
    const run = start(fake, { inactivityTimeout: MINUTE });
    const reader = run[Symbol.asyncIterator]();
    await reader.next();
    expect(await untilBlocked(fake)).toBeLessThan(5000);
    // Longer than the idle limit: here the reader is slow, not the agent.
    await pass(60 * MINUTE);
    const texts: string[] = [];
    for (let step = await reader.next(); !step.done; step = await reader.next()) {
      if (step.value.type === "message_stop") texts.push(step.value.text.split(" ")[1]!);
    }
    expect(texts).toEqual(Array.from({ length: 8000 }, (_, i) => String(i)));
    expect(await run).toMatchObject({ exitReason: "completed" });
  });

  it("slows nothing down without a reader, and tells a late reader what it missed", async () => {
    const run = start(fakeAgent("claude", "flood"));
    await run;
    const events: AgentEvent[] = [];
    for await (const event of run) events.push(event);
    expect(events[0]).toMatchObject({
      type: "debug",
      message: expect.stringMatching(/^The first \d+ events are no longer available/),
    });
    expect(events.length).toBeLessThanOrEqual(2001);
    expect(events.at(-1)).toMatchObject({ type: "session_end" });
  });

  it("drops a reader that leaves", async () => {
    const run = start(fakeAgent("claude", "flood"));
    for await (const event of run) if (event.type === "turn_start") break;
    expect(await run).toMatchObject({ exitReason: "completed" });
  });

  it("can be ended while a reader is blocked", async () => {
    const fake = flood();
    const run = start(fake, { gracePeriodMs: 300 });
    const reader = run[Symbol.asyncIterator]();
    await reader.next();
    await untilBlocked(fake);
    await run.abort();
    expect(await run).toMatchObject({ exitReason: "aborted" });
    await reader.return?.();
  });

  it("keeps only the end of standard error", async () => {
    const fake = fakeAgent("claude", "replay", {
      FAKE_STREAM: "/dev/null",
      FAKE_NOISE: "50000",
      FAKE_STDERR: "last words",
      FAKE_EXIT: "1",
    });
    const { error } = await start(fake);
    expect(error?.stderr.endsWith("noise\nlast words")).toBe(true);
    expect(error?.stderr.length).toBeLessThanOrEqual(64 * 1024);
    expect(error?.message).toBe("Claude Code ended with exit code 1: last words");
  });
});

describe("a limit of model calls", () => {
  it("ends the run when it is exceeded", async () => {
    const run = start(fakeAgent("claude", "flood"), { maxTurns: 3, gracePeriodMs: 300 });
    const limits: number[] = [];
    run.on("turn_limit", ({ maxTurns }) => limits.push(maxTurns));
    expect(await run).toMatchObject({ exitReason: "turn_limit", error: null });
    expect(limits).toEqual([3]);
  });
});

describe("a plug-in", () => {
  it("that cannot parse its own agent's output loses the line, not the program", async () => {
    const fake = fakeAgent("odd-agent", "crash");
    const client = createClient({ env: fake.env });
    client.adapters.register({
      name: "odd",
      displayName: "Odd",
      command: "odd-agent",
      capabilities: { canResume: false, canFork: false, sessionPersistence: "none" },
      run: {
        honours: [],
        streamsText: false,
        approvals: "It asks nobody.",
        credentials: { variables: [], files: () => [], guidance: "" },
        prepare: () => ({
          args: [],
          stream: {
            line() {
              throw new Error("no idea");
            },
            end: () => [],
          },
        }),
      },
    });
    const run = client.run({ agent: "odd", prompt: "Hi", cwd: fake.home.path });
    const events: AgentEvent[] = [];
    for await (const event of run) events.push(event);
    expect(events).toMatchObject([
      { type: "debug", message: "A line could not be read: no idea" },
      { type: "log", source: "stdout" },
      { type: "crash", exitCode: 3 },
    ]);
    await expect(run.queue("more")).rejects.toMatchObject({ code: "RUN_NOT_ACTIVE" });
  });
});

describe("a start that the system refuses", () => {
  it("is an error of its own", async () => {
    const env = { FAR_TOO_LONG: "x".repeat(3_000_000) };
    expect(await start(fakeAgent("claude", "hang"), { env })).toMatchObject({
      exitReason: "crashed",
      error: { code: "SPAWN_ERROR", message: expect.stringMatching(/^Claude Code could not be started: .*E2BIG/) },
    });
  });
});

describe("private files", () => {
  it("exist for the agent, private to its owner, and are removed afterwards", async () => {
    const fake = fakeAgent("claude", "talker");
    const mcpServers = [{ name: "db", transport: "stdio" as const, command: "db-server", env: { TOKEN: "secret" } }];
    await start(fake, { mcpServers });
    const args = JSON.parse(fake.notes()[0]!) as string[];
    const file = args[args.indexOf("--mcp-config") + 1]!;
    expect(args.join(" ")).not.toContain("secret");
    // Other tests have directories of this kind, too.
    const directory = dirname(file);
    expect(directory).toContain(join(tmpdir(), "amux-run-"));
    expect(existsSync(directory)).toBe(false);
  });
});
