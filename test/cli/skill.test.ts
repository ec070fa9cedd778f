import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { fakeAgent } from "../support/fake-agent.ts";
import type { CliResult } from "../support/run-cli.ts";
import { warmCli } from "../support/warm-cli.ts";

interface Row {
  agent: string;
  path: string;
  state?: string;
  changed?: boolean;
  error?: string;
}

it("installs the skill for agents on the PATH, and removes only what it wrote", async () => {
  const { home, env } = fakeAgent("claude", "replay");
  const project = join(home.path, "shop");
  mkdirSync(project);
  const amux = (...args: string[]): Promise<CliResult> =>
    warmCli(["skill", ...args, "--json"], { home: home.path, vars: env.vars, cwd: project });
  const rows = async (...args: string[]): Promise<Row[]> => JSON.parse((await amux(...args)).stdout) as Row[];
  const claude = join(home.path, ".claude/skills/amux/SKILL.md");
  const codex = join(home.path, ".agents/skills/amux/SKILL.md");

  expect(await rows("install")).toEqual([{ agent: "claude", path: claude, changed: true }]);
  expect(await rows("install")).toEqual([{ agent: "claude", path: claude, changed: false }]);
  expect(readFileSync(claude, "utf8")).toContain("name: amux");
  expect(await rows("install", "codex", "--project")).toEqual([
    { agent: "codex", path: join(project, ".agents/skills/amux/SKILL.md"), changed: true },
  ]);
  expect(await rows("install", "codex")).toMatchObject([{ path: codex, changed: true }]);
  expect(await rows("status")).toEqual([
    { agent: "claude", path: claude, state: "installed" },
    { agent: "codex", path: codex, state: "installed" },
  ]);

  writeFileSync(codex, `${readFileSync(codex, "utf8")}Always in French.\n`);
  const { code, stdout } = await amux("uninstall");
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    [
      { agent: "claude", path: claude, changed: true },
      { agent: "codex", path: codex, changed: false, error: expect.stringContaining("was kept") as string },
    ],
  ]);
  expect([existsSync(dirname(claude)), readFileSync(codex, "utf8").endsWith("French.\n")]).toEqual([false, true]);
  expect(await rows("status")).toMatchObject([{ state: "absent" }, { state: "edited" }]);
  expect((await amux("install", "codex")).code).toBe(1);
  expect((await amux("install", "gemini")).code).toBe(2);
});
