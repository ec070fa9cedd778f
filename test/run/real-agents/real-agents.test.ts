/**
 * The real programs from npm against a model service on loopback. `npm test` does not install them (1.5 GB): see `node
 * test/run/real-agents/run.mjs`.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createClient,
  type AgentEvent,
  type AgentMuxClient,
  type RunOptions,
  type RunResult,
} from "../../../src/index.ts";
import { runCli, runJson } from "../../support/run-cli.ts";
import { homeAt } from "../../support/temp-home.ts";
import { REAL_AGENTS, settle, type RealAgent } from "./agent-homes.ts";
import { MORE_AGENTS } from "./more-homes.ts";
import { startModelService, type ModelService } from "./model-service.ts";
import { SHELL_COMMAND, WORDS, type Usage } from "./scripted-model.ts";
import { needs } from "../../support/needs.ts";

/** The directory of the programs. */
const BIN = process.env["AMUX_REAL_AGENTS"] ?? "";

/** The number of chunks and the cost are checked separately. */
const PIECES = new Set([
  "text_delta",
  "shell_stdout_delta",
  "tool_input_delta",
  "token_usage",
  "cost",
  "step_start",
  "step_end",
  "debug",
  "log",
]);

interface Told {
  types: string[];
  events: AgentEvent[];
  result: RunResult;
  /** What the model service charged for this run. */
  charged: Usage;
}

/** The others lack something of this: events, resuming or forks. Their runs are recorded (`record/`). */
const RUN_AGENTS = [...REAL_AGENTS, ...MORE_AGENTS.filter(({ name }) => name === "kilo")];

for (const agent of RUN_AGENTS) {
  const isThere = BIN !== "" && existsSync(join(BIN, agent.name));
  const options = { timeout: 240_000, ...needs(isThere, "real agents (node test/run/real-agents/run.mjs)") };
  describe(`${agent.name} ${agent.version}`, options, () => {
    acceptance(agent);
  });
}

function acceptance(agent: RealAgent): void {
  let home: string;
  let service: ModelService;
  let place: { cwd: string; vars: Record<string, string> };
  let client: AgentMuxClient;
  let first: Told;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "amux-real-"));
    service = await startModelService();
    place = settle(agent, homeAt(home), service.url, BIN);
    client = createClient({ env: { home, platform: process.platform, vars: place.vars } });
  });

  afterAll(async () => {
    await service.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("works on a prompt with a tool", async () => {
    first = await run(`Please ${WORDS.tool}.`, { tags: ["first"] });
    expect(first.types).toEqual([
      "session_start",
      "turn_start",
      "tool_call_start",
      "tool_call_ready",
      "shell_start",
      "tool_result",
      "shell_exit",
      "message_start",
      "message_stop",
      "turn_end",
      "session_end",
    ]);
    expect(find(first, "shell_start").command).toContain(SHELL_COMMAND);
    expect(JSON.stringify(find(first, "tool_result").output)).toContain("from-the-tool");
    expect(first.result).toMatchObject({ exitReason: "completed", text: "The tool has spoken.", error: null });
    await expectSession(first, [first]);
  });

  it("resumes a session", async () => {
    const { sessionId } = first.result;
    const told = await run("And then?", { sessionId: sessionId! });
    expect(told.types).toEqual([
      "session_start",
      "session_resume",
      "turn_start",
      "message_start",
      "message_stop",
      "turn_end",
      "session_end",
    ]);
    expect(find(told, "session_resume").priorTurnCount).toBe(1);
    expect(told.result).toMatchObject({ sessionId, text: "Understood.", exitReason: "completed" });
    await expectSession(told, [first, told]);
  });

  it("forks a session", async () => {
    const forkSessionId = first.result.sessionId!;
    const told = await run("Another way?", { forkSessionId });
    expect(told.types).toEqual([
      "session_start",
      "session_fork",
      "turn_start",
      "message_start",
      "message_stop",
      "turn_end",
      "session_end",
    ]);
    expect(find(told, "session_fork").forkedFrom).toBe(forkSessionId);
    expect(told.result.sessionId).not.toBe(forkSessionId);
    await expectSession(told, [told]);
  });

  it("continues from a message, without anything after it", async () => {
    const begun = await run(`Please ${WORDS.say}alpha.`);
    const { sessionId } = begun.result;
    await run(`Please ${WORDS.tool} and ${WORDS.say}beta.`, { sessionId: sessionId! });
    await run(`Please ${WORDS.say}gamma.`, { sessionId: sessionId! });
    const { messages } = await client.sessions.get(agent.name, sessionId!);
    expect(messages.map(({ role }) => role)).toEqual([
      ...["user", "assistant"],
      ...["user", "assistant", "tool", "assistant"],
      ...["user", "assistant"],
    ]);
    const alpha = ["SAY-alpha", "alpha-ANSWERED"];
    const tool = ["SAY-beta", "from-the-tool"];
    const cuts: [message: number, heard: string[]][] = [
      [1, alpha],
      // The result of a call belongs to it.
      [3, [...alpha, ...tool]],
      [5, [...alpha, ...tool, "beta-ANSWERED"]],
      // A prompt is sent in another form.
      [6, [...alpha, ...tool, "beta-ANSWERED"]],
    ];
    for (const [forkMessage, heard] of cuts) {
      const before = service.model.served.length;
      const fork = await run(`Please ${WORDS.say}delta.`, { forkSessionId: sessionId!, forkMessage });
      expect(fork.result).toMatchObject({ exitReason: "completed", text: "delta-ANSWERED" });
      const asked = service.model.served.slice(before).filter(({ asked: { tools } }) => tools.length > 0);
      expect(asked.map(({ body }) => markersIn(body))).toEqual([[...heard, "SAY-delta"]]);
      expect(fork.result.sessionId).not.toBe(sessionId);
      await expectSession(fork, [fork]);
      const copied = await client.sessions.get(agent.name, fork.result.sessionId!);
      expect(copied.messages.map(({ content }) => content)).toEqual([
        ...messages
          .slice(0, Math.max(forkMessage === 3 ? 5 : 0, Math.min(forkMessage + 1, 6)))
          .map(({ content }) => content),
        expect.stringContaining("delta"),
        "delta-ANSWERED",
      ]);
    }
    // The original conversation is unchanged.
    expect((await client.sessions.get(agent.name, sessionId!)).messages).toEqual(messages);
  });

  it("asks before it acts, or says that it does not", async () => {
    const ask = (decision: "approve" | "deny"): Promise<Told> =>
      run(`Please ${WORDS.tool} (${decision}).`, {
        approvalMode: "prompt",
        nonInteractive: false,
        onApprovalRequest: () => Promise.resolve(decision),
      });
    const made = join(place.cwd, "made.txt");
    rmSync(made, { force: true });
    const denied = await ask("deny");
    expect(existsSync(made)).toBe(false);
    expect(denied.result).toMatchObject({ exitReason: "completed", error: null });
    if (!agent.canAsk) {
      expect(find(denied, "stream_fallback").capability).toBe("approvals");
      return;
    }
    expect(denied.types).toEqual(expect.arrayContaining(["approval_request", "approval_denied"]));
    expect(find(denied, "approval_request").detail).toContain(SHELL_COMMAND);
    const approved = await ask("approve");
    expect(approved.types).toEqual(expect.arrayContaining(["approval_request", "approval_granted", "tool_result"]));
    expect(existsSync(made)).toBe(true);
  });

  it("ends in the middle of an answer, with everything it started", async () => {
    const told = await run(`Please ${WORDS.stall}.`, {}, "abort");
    expect(told.result).toMatchObject({ exitReason: "aborted", error: { code: "ABORTED" } });
    expect(told.types.filter((type) => type !== "message_start" && type !== "message_stop")).toEqual([
      "session_start",
      "turn_start",
      "aborted",
      "turn_end",
      "session_end",
    ]);
    expect(processesOf(home)).toEqual([]);
  });

  it("reports an error of the service", async () => {
    const told = await run(`Please ${WORDS.broken}.`);
    expect(told.result.error).toMatchObject({ code: "AGENT_CRASH", recoverable: false });
    expect(told.result.error?.message).toContain("The request is malformed.");
    expect(told.types).toContain("error");
    expect(told.result.exitReason).toBe("crashed");
  });

  it("waits when the service is busy, and continues", async () => {
    const told = await run(`Please ${WORDS.busyOnce}.`);
    expect(told.result).toMatchObject({ exitReason: "completed", text: "Understood.", error: null });
    await expectSession(told, [told]);
  });

  it("gives up when the service stays busy", async () => {
    const told = await run(`Please ${WORDS.busy}.`, { timeout: 200_000 });
    expect(told.result.error).toMatchObject({ code: "RATE_LIMITED", recoverable: true });
    expect(told.types).toContain("rate_limit_error");
  });

  it("is found and run on the command line", async () => {
    const { code, stdout } = await runCli(
      ["run", agent.name, "Hello", "--json", "--yolo", "--model", agent.model, "--tag", "shell"],
      { home, vars: place.vars, cwd: place.cwd },
    );
    const lines = stdout.trimEnd().split("\n");
    const result = JSON.parse(lines.at(-1)!) as RunResult & { type: string };
    expect([code, result.type, result.exitReason]).toEqual([0, "run_result", "completed"]);
    const listed = await runJson<{ sessionId: string; tags: string[]; cost: { totalUsd: number } }[]>(
      ["sessions", "list", agent.name, "--tag", "shell"],
      { home, vars: place.vars, cwd: place.cwd },
    );
    expect(listed.map(({ sessionId }) => sessionId)).toEqual([result.sessionId]);
    expect(listed[0]!.cost.totalUsd).toBeCloseTo(result.cost!.totalUsd, 9);
  });

  async function run(prompt: string, options: Partial<RunOptions> = {}, then?: "abort"): Promise<Told> {
    const before = service.model.served.length;
    const handle = client.run({
      agent: agent.name,
      prompt,
      cwd: place.cwd,
      model: agent.model,
      approvalMode: "yolo",
      nonInteractive: true,
      timeout: 120_000,
      // Tests the agents' own retries.
      retryPolicy: { maxAttempts: 1 },
      ...options,
    });
    const events: AgentEvent[] = [];
    if (then === "abort") {
      // Some name their session only when the answer starts to arrive.
      const begun = new Promise<void>((resolve) => {
        handle.once("turn_start", () => resolve());
      });
      void Promise.all([service.model.whenStalled(), begun]).then(() => handle.abort());
    }
    for await (const event of handle) events.push(event);
    const result = await handle;
    expect(service.strange).toEqual([]);
    const charged = { input: 0, cached: 0, output: 0 };
    for (const { asked, answer } of service.model.served.slice(before)) {
      // Titles and the like are billed nowhere.
      if (asked.tools.length === 0 || answer.kind === "refusal" || answer.kind === "stall") continue;
      charged.input += answer.usage.input;
      charged.cached += answer.usage.cached;
      charged.output += answer.usage.output;
    }
    const types = events.map(({ type }) => type as string).filter((type) => !PIECES.has(type));
    return { types, events, result, charged };
  }

  /** The run cost what the service charged; its session has the reported id and costs the sum of its runs. */
  async function expectSession({ result, charged }: Told, runs: readonly Told[]): Promise<void> {
    expect(result.cost).toMatchObject({
      inputTokens: charged.input,
      cachedTokens: charged.cached,
      outputTokens: charged.output,
    });
    const listed = await client.sessions.list(agent.name, { counts: true });
    const session = listed.find(({ sessionId }) => sessionId === result.sessionId);
    const total = runs.reduce((sum, { result: { cost } }) => sum + cost!.totalUsd, 0);
    expect(session?.cost?.totalUsd).toBeCloseTo(total, 9);
    expect(session?.cost?.totalUsd).toBeGreaterThan(0);
  }
}

/** The markers in order, without repeats: agents quote a prompt in the text around it. */
function markersIn(body: string): string[] {
  const found = [...body.matchAll(/SAY-[a-z]+|[a-z]+-ANSWERED|from-the-tool(?! >)/g)].map(([marker]) => marker);
  return found.filter((marker, index) => marker !== found[index - 1]);
}

function find<Type extends AgentEvent["type"]>({ events }: Told, type: Type): Extract<AgentEvent, { type: Type }> {
  return events.find((event) => event.type === type) as Extract<AgentEvent, { type: Type }>;
}

/** Processes that still run in this home. */
function processesOf(home: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HOME=${home}\0`);
    } catch {
      // Gone, or another user's.
      return false;
    }
  });
}
