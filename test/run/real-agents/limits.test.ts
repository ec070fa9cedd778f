/**
 * Limits and refusals that real agents are sent, as amux shows them. Claude Code tells its status line limits only if it is signed
 * in with a plan: any token will do, since only the service on loopback sees it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentRegistry } from "../../../src/agents/registry.ts";
import { createClient } from "../../../src/index.ts";
import { HOOK_SCRIPT } from "../../../src/lib/process/hook-program.ts";
import { needs } from "../../support/needs.ts";
import { AMUX, runCli, runJson } from "../../support/run-cli.ts";
import { homeAt, type TempHome } from "../../support/temp-home.ts";
import { waitFor } from "../../support/wait-for.ts";
import { REAL_AGENTS, settle, type RealAgent } from "./agent-homes.ts";
import { startModelService } from "./model-service.ts";
import { WORDS } from "./scripted-model.ts";

const BIN = process.env["AMUX_REAL_AGENTS"] ?? "";
const [claude, codex] = ["claude", "codex"].map((name) => REAL_AGENTS.find((agent) => agent.name === name)!);

function optionsFor({ name }: RealAgent): { timeout: number } {
  const isThere = BIN !== "" && existsSync(join(BIN, name));
  return { timeout: 240_000, ...needs(isThere, "real agents (node test/run/real-agents/run.mjs)") };
}

describe(`codex ${codex!.version}`, optionsFor(codex!), () => {
  it("shows the limits that the service sent", async () => {
    const home = mkdtempSync(join(tmpdir(), "amux-real-"));
    const [short, long] = [7200, 260_000].map((seconds) => Math.floor(Date.now() / 1000) + seconds);
    const service = await startModelService({
      "x-codex-primary-used-percent": "42.5",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-at": String(short),
      "x-codex-secondary-used-percent": "17",
      "x-codex-secondary-window-minutes": "10080",
      "x-codex-secondary-reset-at": String(long),
    });
    try {
      const { cwd, vars } = settle(codex!, homeAt(home), service.url, BIN);
      const client = createClient({ env: { home, platform: process.platform, vars } });
      const { exitReason } = await client.run({ agent: codex!.name, prompt: "And then?", cwd });
      expect(exitReason).toBe("completed");
      const { limits } = await runJson<{ limits: object[] }>(["limits"], { home, vars });
      expect(limits).toMatchObject([
        { agent: "codex", window: "5h", used_percent: 42.5, resets_at: new Date(short! * 1000).toISOString() },
        { agent: "codex", window: "7d", used_percent: 17, resets_at: new Date(long! * 1000).toISOString() },
      ]);
    } finally {
      await service.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});

const COMMANDS: Readonly<Record<string, (prompt: string) => string[]>> = {
  claude: (prompt) => ["claude", "--dangerously-skip-permissions", "-p", prompt],
  codex: (prompt) => ["codex", "exec", "--skip-git-repo-check", prompt],
};

/** Signed in with a plan, as far as Claude Code knows. */
function subscriber(home: TempHome, cwd: string, vars: Record<string, string>): Record<string, string> {
  const { ANTHROPIC_API_KEY: _, ...others } = vars;
  const projects = { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
  const oauthAccount = { emailAddress: "me@example.com" };
  home.write(".claude.json", JSON.stringify({ hasCompletedOnboarding: true, theme: "dark", projects, oauthAccount }));
  return { ...others, TERM: "xterm-256color", CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-loopback" };
}

describe(`claude ${claude!.version}`, optionsFor(claude!), () => {
  it("shows the limits that the service sent, through its status line", async () => {
    const home = mkdtempSync(join(tmpdir(), "amux-real-"));
    const [short, long] = [7200, 260_000].map((seconds) => Math.floor(Date.now() / 1000) + seconds);
    const service = await startModelService({
      "anthropic-ratelimit-unified-status": "allowed",
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
      "anthropic-ratelimit-unified-reset": String(short),
      "anthropic-ratelimit-unified-5h-utilization": "0.425",
      "anthropic-ratelimit-unified-5h-reset": String(short),
      "anthropic-ratelimit-unified-7d-utilization": "0.17",
      "anthropic-ratelimit-unified-7d-reset": String(long),
    });
    const place = settle(claude!, homeAt(home), service.url, BIN);
    const vars = subscriber(homeAt(home), place.cwd, place.vars);
    const amux = (...words: string[]) => runCli(words, { home, cwd: place.cwd, vars });
    try {
      expect((await amux("hooks", "install", "claude")).code).toBe(0);
      expect((await amux("run", "-d", "--name", "a", "--", "claude", "And then?")).code).toBe(0);
      const limits = await waitFor("its limits", async () => {
        const found = await runJson<{ limits: object[] }>(["limits"], { home, vars });
        return found.limits.length > 0 ? found.limits : undefined;
      });
      const who = { agent: "claude", account: "me@example.com" };
      expect(limits).toMatchObject([
        { ...who, window: "5h", used_percent: 42.5, resets_at: new Date(short! * 1000).toISOString() },
        { ...who, window: "7d", used_percent: 17, resets_at: new Date(long! * 1000).toISOString() },
      ]);
    } finally {
      await amux("kill", "a");
      await service.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});

const REFUSALS: Readonly<Record<string, { kind?: string; headers(reset: number): Record<string, string> }>> = {
  claude: {
    kind: "5h",
    headers: (reset) => ({
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": String(reset),
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
      "x-should-retry": "false",
    }),
  },
  codex: { headers: () => ({}) },
};

describe.each([claude!, codex!])("a used-up limit and $name $version", (agent) => {
  it("is shown with its window, if it is named, and its reset", optionsFor(agent), async () => {
    const home = mkdtempSync(join(tmpdir(), "amux-real-"));
    const { kind, headers } = REFUSALS[agent.name]!;
    const reset = Math.floor(Date.now() / 1000) + 7200;
    const service = createServer((request, response) => {
      const error = {
        type: "usage_limit_reached",
        message: "The limit is reached",
        plan_type: "pro",
        resets_at: reset,
      };
      request.resume();
      response.writeHead(429, { "content-type": "application/json", ...headers(reset) });
      response.end(
        JSON.stringify({
          type: "error",
          error: agent.name === "codex" ? error : { ...error, type: "rate_limit_error" },
        }),
      );
    });
    service.listen(0, "127.0.0.1");
    await once(service, "listening");
    try {
      const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
      const { cwd, vars: own } = settle(agent, homeAt(home), url, BIN);
      const vars = agent.name === "claude" ? subscriber(homeAt(home), cwd, own) : own;
      const argv = COMMANDS[agent.name]!("And then?");
      await once(spawn(join(BIN, agent.name), argv.slice(1), { cwd, env: vars, stdio: "ignore" }), "close");
      const { refusals } = await runJson<{ refusals: { resets_at: string }[] }>(["limits"], { home, vars });
      expect(refusals).toMatchObject([{ agent: agent.name, ...(kind === undefined ? {} : { kind }) }]);
      // Codex says it in words, to the minute.
      expect(Math.abs(Date.parse(refusals[0]!.resets_at) - reset * 1000)).toBeLessThan(60_000);
    } finally {
      service.close();
      service.closeAllConnections();
      rmSync(home, { recursive: true, force: true });
    }
  });
});

/** Requests of a turn with one tool whose budget is used up meanwhile: Codex's hooks cannot end a turn. */
const REQUESTS_OF_A_STOPPED_TURN: Readonly<Record<string, number>> = { claude: 1, codex: 2 };

describe.each([claude!, codex!])("a used-up budget and $name $version", (agent) => {
  it("refuses a prompt, and ends a turn after its tool where the agent can", optionsFor(agent), async () => {
    const home = mkdtempSync(join(tmpdir(), "amux-real-"));
    const service = await startModelService();
    const stops = (text?: string): void => {
      const all = text === undefined ? [] : [{ text }];
      homeAt(home).write(".agent-mux/budget-stops.json", JSON.stringify({ at: Date.now(), stops: all }));
    };
    try {
      const { cwd, vars } = settle(agent, homeAt(home), service.url, BIN);
      const program = { node: process.execPath, script: join(dirname(AMUX), HOOK_SCRIPT) };
      const { hooks } = await new AgentRegistry().get(agent.name);
      const place = { env: { home, platform: process.platform, vars }, program, directory: home };
      const env = { ...vars, AMUX_SOCKET: join(home, "no-socket") };
      const askedFor = async (prompt: string): Promise<number> => {
        const { argv } = hooks!.launch!(COMMANDS[agent.name]!(prompt), { ...place, version: agent.version })!;
        const child = spawn(join(BIN, agent.name), argv.slice(1), { cwd, env, stdio: "ignore" });
        await once(child, "close");
        return service.model.served.filter((served) => served.asked.prompt.includes(prompt)).length;
      };
      expect(await askedFor("And then?")).toBe(1);
      stops("amux budget, today: $20.31 of $20.00 used.");
      expect(await askedFor("What else?")).toBe(0);
      stops();
      expect(await askedFor(`First ${WORDS.tool}`)).toBe(2);
      // Used up while the model answers.
      const answer = service.model.answer.bind(service.model);
      service.model.answer = (...asked) => {
        stops("amux budget, today: $20.31 of $20.00 used.");
        return answer(...asked);
      };
      expect(await askedFor(`Then ${WORDS.tool}`)).toBe(REQUESTS_OF_A_STOPPED_TURN[agent.name]);
    } finally {
      await service.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
