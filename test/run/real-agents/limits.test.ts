/**
 * Limits that a real Codex is sent, as amux shows them. Claude Code tells its status line limits only after a subscriber's
 * sign-in, so that its documented input is tested instead (test/status/status-line.test.ts).
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/index.ts";
import { needs } from "../../support/needs.ts";
import { runJson } from "../../support/run-cli.ts";
import { homeAt } from "../../support/temp-home.ts";
import { REAL_AGENTS, settle } from "./agent-homes.ts";
import { startModelService } from "./model-service.ts";

const BIN = process.env["AMUX_REAL_AGENTS"] ?? "";
const agent = REAL_AGENTS.find(({ name }) => name === "codex")!;
const isThere = BIN !== "" && existsSync(join(BIN, agent.name));
const options = { timeout: 240_000, ...needs(isThere, "real agents (node test/run/real-agents/run.mjs)") };

describe(`${agent.name} ${agent.version}`, options, () => {
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
      const { cwd, vars } = settle(agent, homeAt(home), service.url, BIN);
      const client = createClient({ env: { home, platform: process.platform, vars } });
      const { exitReason } = await client.run({ agent: agent.name, prompt: "And then?", cwd });
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
