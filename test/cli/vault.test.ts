/** The vault as a user sees it: enabled, copied, deleted by the agent, found, restored. */
import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkedJson } from "../docs/schemas/index.ts";
import { AMUX } from "../support/run-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { waitFor } from "../support/wait-for.ts";
import { warmCli } from "../support/warm-cli.ts";

const CLAUDE = join(import.meta.dirname, "../../src/agents/claude/fixtures/home");
const ID = "dfb61421-d08a-4f49-8f45-e72d5dab1652";

it("a session that its agent deleted is listed, read, priced and restored", async () => {
  const home = tempHome(CLAUDE).path;
  const run = (...args: string[]): ReturnType<typeof warmCli> => warmCli(args, { home });
  const check = (command: string, ...args: string[]): Promise<unknown> => checkedJson(command, args, { home });
  const path = join(home, ".claude/projects/-home-user-dev-shop-api", `${ID}.jsonl`);
  const bytes = readFileSync(path);
  const before = { cost: (await run("cost")).stdout, search: (await run("search", "health", "--no-index")).stdout };

  expect(await run("vault", "sync")).toMatchObject({ code: 2 });
  expect((await run("vault", "enable", "--max-size", "lots")).stderr).toContain("--max-size takes a size");
  await check("vault enable", "--max-size", "50MB");
  await check("vault sync");
  rmSync(path);

  expect((await run("sessions", "list", "claude", "--limit", "100")).stdout).toContain("[vault] ");
  expect((await run("show", ID)).stdout).toContain("read from the vault");
  expect((await run("cost")).stdout).toBe(before.cost);
  expect((await run("search", "health", "--no-index")).stdout).toBe(before.search);
  expect(await check("vault list", "--gone")).toMatchObject([{ agent: "claude", sessionId: ID, inVaultOnly: true }]);
  expect(await check("vault status")).toMatchObject({ enabled: true, maxBytes: 50_000_000, onlyInVault: 1 });
  expect((await run("vault", "status")).stdout).toContain("of at most 50.0 MB");
  expect(await check("sessions resume", ID, "--dry-run")).toMatchObject({ inVault: true });
  const dry = await run("sessions", "resume", ID, "--dry-run");
  expect([dry.stdout, dry.stderr]).toEqual([
    expect.stringContaining(`claude --resume ${ID}`),
    expect.stringContaining(`amux vault restore claude:${ID} --touch`),
  ]);
  expect(existsSync(path)).toBe(false);
  expect((await run("vault", "disable", "--delete")).stderr).toContain("1 session is only in the vault");

  expect(await check("vault restore", ID)).toContainEqual({ path, state: "restored" });
  expect(readFileSync(path)).toEqual(bytes);
  expect(await check("vault verify")).toMatchObject({ damaged: [] });
  expect(await check("vault remove", ID)).toMatchObject({ sessionId: ID, lost: false });
  await check("vault disable", "--delete");
  expect(existsSync(join(home, ".agent-mux/vault"))).toBe(false);
});

it("a sync that is killed leaves nothing damaged, and the next one completes it", async () => {
  const home = tempHome();
  for (let n = 0; n < 24; n++) {
    const record = {
      type: "user",
      uuid: randomUUID(),
      message: { role: "user", content: randomBytes(400_000).toString("hex") },
    };
    home.write(`.claude/projects/-p/${randomUUID()}.jsonl`, `${JSON.stringify(record)}\n`);
  }
  const vault = join(home.path, ".agent-mux/vault");
  const names = (): string[] => readdirSync(vault, { recursive: true, encoding: "utf8" });
  const env = { PATH: process.env["PATH"], HOME: home.path };
  const child = spawn(process.execPath, [AMUX, "vault", "enable"], { env, stdio: "ignore" });
  const closed = once(child, "close");
  await waitFor(
    "some copies",
    () => existsSync(vault) && names().filter((name) => /[0-9a-f]{64}$/.test(name)).length > 1,
  );
  child.kill("SIGKILL");
  await closed;
  expect((await warmCli(["vault", "verify"], { home: home.path })).code).toBe(0);
  expect(await checkedJson("vault sync", [], { home: home.path })).toMatchObject({ failed: [] });
  expect(await checkedJson("vault verify", [], { home: home.path })).toEqual({ files: 24, damaged: [] });
  expect(names().filter((name) => name.endsWith(".tmp"))).toEqual([]);
});
