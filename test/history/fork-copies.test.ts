/** Copies that end at a message: each reads like the session up to there, and the session is unchanged. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createClient, type AgentMuxClient } from "../../src/index.ts";
import type { SessionMessage, SessionSummary } from "../../src/core/session.ts";
import { isLong } from "../torture/long-form.ts";
import { fixturesOf } from "./recorded-home.ts";

const places: string[] = [];
afterAll(() => places.forEach((place) => rmSync(place, { recursive: true, force: true })));

function homeOf(agent: string): { home: string; client: AgentMuxClient } {
  const place = mkdtempSync("/tmp/amux-copies-");
  places.push(place);
  const home = join(place, "home");
  cpSync(join(fixturesOf(agent), "home"), home, { recursive: true });
  return { home, client: createClient({ env: { home, platform: "linux", vars: {} } }) };
}

/** Everything but ids and times. */
const said = ({ role, content, thinking, toolCalls, toolResult }: SessionMessage): object => ({
  role,
  content,
  thinking,
  calls: toolCalls?.map(({ toolName, output }) => [toolName, output]),
  result: toolResult?.output,
});

it("a failed start leaves nothing in the agent's store", async () => {
  const { home, client } = homeOf("claude");
  const before = digestsIn(home);
  const sessions = await resumable(client, "claude");
  const options = { agent: "claude", prompt: "go on", cwd: "/", nonInteractive: true } as const;
  const run = client.run({ ...options, forkSessionId: sessions[0]!.sessionId, forkMessage: 1 });
  expect((await run.result()).error?.code).toBe("AGENT_NOT_INSTALLED");
  expect(digestsIn(home)).toEqual(before);
});

/** Agents whose copies are stored as sessions at once. */
describe.each(["claude", "codex", "copilot", "qwen"])("a copy in the store of %s", (agent) => {
  it("is the session up to a message, a fork of it, and costs nothing", async () => {
    const { home, client } = homeOf(agent);
    const before = digestsIn(home);
    const sessions = await resumable(client, agent);
    expect(sessions.length).toBeGreaterThan(2);
    let made = 0;
    for (const { sessionId, cwd } of sessions) {
      const { messages } = await client.sessions.get(agent, sessionId);
      for (const message of cutsOf(messages)) {
        const copy = await client.copyForFork(agent, sessionId, { cwd: "/", message });
        made++;
        expect(copy.command.join(" ")).toContain(copy.sessionId);
        expect(statSync(copy.file!).mode & 0o777).toBe(0o600);
        const session = await client.sessions.get(agent, copy.sessionId!);
        expect(session.messages.map(said)).toEqual(messages.slice(0, copy.lastMessage + 1).map(said));
        expect(session).toMatchObject({
          forkedFrom: expect.any(String) as string,
          ...(cwd === undefined ? {} : { cwd }),
        });
        expect(session.cost?.totalUsd ?? 0).toBe(0);
        rmSync(copy.file!);
      }
    }
    expect(made).toBeGreaterThan(8);
    expect(digestsIn(home)).toEqual(before);
  });
});

/** Agents that import a file of ours: it is read as if they had. */
describe.each([
  ["pi", ".pi/agent/sessions/--copies--"],
  ["omp", ".omp/agent/sessions/-copies"],
  ["gemini", ".gemini/tmp/copies/chats"],
])("a copy for %s", (agent, store) => {
  it("is a file that holds the session up to a message", async () => {
    const { home, client } = homeOf(agent);
    const before = digestsIn(home);
    const sessions = await resumable(client, agent);
    expect(sessions.length).toBeGreaterThan(2);
    for (const { sessionId } of sessions) {
      const { messages } = await client.sessions.get(agent, sessionId);
      for (const message of cutsOf(messages)) {
        const copy = await client.copyForFork(agent, sessionId, { cwd: "/", message });
        expect(copy.command).toContain(copy.file);
        expect(copy.file!.startsWith(join(home, ".agent-mux/forks/"))).toBe(true);
        const other = mkdtempSync("/tmp/amux-copies-");
        places.push(other);
        cpSync(copy.file!, join(other, store, basename(copy.file!)));
        const alone = createClient({ env: { home: other, platform: "linux", vars: {} } });
        const [only] = await alone.sessions.list(agent);
        const read = await alone.sessions.get(agent, only!.sessionId);
        const kept = messages.slice(0, copy.lastMessage + 1);
        // The program remembers only the summary of a compacted part.
        const summary = agent === "gemini" ? kept.findLastIndex(({ role }) => role === "system") : -1;
        expect(read.messages.map(said)).toEqual(kept.slice(Math.max(summary, 0)).map(said));
      }
    }
    rmSync(join(home, ".agent-mux"), { recursive: true });
    expect(digestsIn(home)).toEqual(before);
  });
});

/** The agent that copies its sessions itself. */
describe("a copy that OpenClaw makes", () => {
  it("is requested by the omitted prompt, or as a whole, and opened by its new name", async () => {
    const { home } = homeOf("openclaw");
    const bin = join(home, "bin");
    mkdirSync(bin);
    const program = `#!/bin/sh\nfor word; do last=$word; done\necho "$4 $last" >> ${home}/asked\n`;
    writeFileSync(join(bin, "openclaw"), `${program}echo '{"sessionKey":"agent:x:1","key":"agent:x:2"}'\n`, {
      mode: 0o755,
    });
    const vars = { PATH: `${bin}:/usr/bin:/bin` };
    const { sessions, copyForFork } = createClient({ env: { home, platform: "linux", vars } });
    const listed = (await sessions.list("openclaw")).sort((a, b) => b.messageCount - a.messageCount);
    for (const { sessionId } of listed) {
      const { messages } = await sessions.get("openclaw", sessionId);
      const second = messages.findIndex(({ role }, index) => role === "user" && index > 0);
      if (second === -1 || messages[second - 1]!.role !== "assistant") continue;
      const cut = await copyForFork("openclaw", sessionId, { cwd: "/", message: second });
      expect(cut).toMatchObject({ command: ["openclaw", "resume", "agent:x:1"], lastMessage: second - 1 });
      const whole = await copyForFork("openclaw", sessionId, { cwd: "/" });
      expect(whole.command).toEqual(["openclaw", "resume", "agent:x:2"]);
      const asked = readFileSync(join(home, "asked"), "utf8").trimEnd().split("\n");
      expect(asked[0]).toMatch(/^--json \{"sessionKey":"agent:[^"]+","entryId":"[^"]+"\}$/);
      expect(asked[1]).toMatch(/^--json \{"parentSessionKey":"agent:[^"]+","fork":true\}$/);
      const raw = JSON.stringify((await sessions.get("openclaw", sessionId)).raw);
      expect(raw).toContain(/"entryId":"([^"]+)"/.exec(asked[0]!)![1]!);
      return;
    }
    expect.fail("no conversation with two prompts");
  });
});

/** Only the longest ones: they have every kind of message. */
async function resumable(client: AgentMuxClient, agent: string): Promise<SessionSummary[]> {
  const { launch } = await client.adapters.get(agent);
  const listed = (await client.sessions.list(agent, { limit: 1000 })).sort((a, b) => b.messageCount - a.messageCount);
  const open = [];
  for (const one of listed.slice(0, isLong ? 12 : 6)) {
    const { source, copyUpTo } = await client.sessions.open(agent, one.sessionId);
    const isCopied = copyUpTo?.(0, { id: "x", at: new Date() }) !== undefined;
    if (isCopied && launch?.resume?.(one.sessionId, source) !== undefined) open.push(one);
  }
  return open;
}

/** A few cuts in each: after an answer, at a prompt, at a call, at the end. */
function cutsOf(messages: readonly SessionMessage[]): number[] {
  const at = (test: (message: SessionMessage) => boolean): number => messages.findIndex(test);
  const answer = at(({ role }) => role === "assistant");
  if (answer === -1) return [];
  const call = at(
    ({ toolCalls = [] }) => toolCalls.length > 0 && toolCalls.every(({ output }) => output !== undefined),
  );
  const prompt = messages.findIndex(({ role }, index) => role === "user" && index > answer);
  const isWhole = (index: number): boolean =>
    messages
      .slice(0, index + 1)
      .some(
        ({ role, toolCalls = [] }) => role === "assistant" && toolCalls.every(({ output }) => output !== undefined),
      );
  return [...new Set([answer, call, prompt, messages.length - 1])].filter((index) => index >= 0 && isWhole(index));
}

function digestsIn(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !path.includes("/.agent-mux/") && existsSync(dirname(path)))
      found[path] = createHash("sha256").update(readFileSync(path)).digest("hex");
  }
  return found;
}
