/**
 * Limits that a real Codex is sent, as amux shows them. Claude Code tells its status line limits only after a subscriber's
 * sign-in, so that its documented input is tested instead (test/status/status-line.test.ts).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentRegistry } from "../../../src/agents/registry.ts";
import { createClient } from "../../../src/index.ts";
import { HOOK_SCRIPT } from "../../../src/lib/process/hook-program.ts";
import { needs } from "../../support/needs.ts";
import { AMUX, runJson } from "../../support/run-cli.ts";
import { homeAt } from "../../support/temp-home.ts";
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

/** Requests of a turn with one tool whose budget is used up meanwhile: Codex's hooks cannot end a turn. */
const REQUESTS_OF_A_STOPPED_TURN: Readonly<Record<string, number>> = { claude: 1, codex: 2 };

const COMMANDS: Readonly<Record<string, (prompt: string) => string[]>> = {
  claude: (prompt) => ["claude", "--dangerously-skip-permissions", "-p", prompt],
  codex: (prompt) => ["codex", "exec", "--skip-git-repo-check", prompt],
};

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
