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

describe(`claude ${claude!.version}`, optionsFor(claude!), () => {
  it("refuses a prompt when a budget is used up, and asks the service nothing", async () => {
    const home = mkdtempSync(join(tmpdir(), "amux-real-"));
    const service = await startModelService();
    try {
      const { cwd, vars } = settle(claude!, homeAt(home), service.url, BIN);
      const program = { node: process.execPath, script: join(dirname(AMUX), HOOK_SCRIPT) };
      const { hooks } = await new AgentRegistry().get("claude");
      const place = { env: { home, platform: process.platform, vars }, program, directory: home };
      const { argv } = hooks!.launch!(["claude", "-p", "And then?"], { ...place, version: claude!.version })!;
      const env = { ...vars, AMUX_SOCKET: join(home, "no-socket") };
      const asked = async (): Promise<number> => {
        const child = spawn(join(BIN, "claude"), argv.slice(1), { cwd, env, stdio: "ignore" });
        await once(child, "close");
        return service.model.served.filter((served) => served.asked.prompt.includes("And then?")).length;
      };
      expect(await asked()).toBe(1);
      const stops = [{ text: "amux budget, today: $20.31 of $20.00 used." }];
      homeAt(home).write(".agent-mux/budget-stops.json", JSON.stringify({ at: Date.now(), stops }));
      expect(await asked()).toBe(1);
    } finally {
      await service.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
