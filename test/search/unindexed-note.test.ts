import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../support/run-cli.ts";
import { tempHome } from "../support/temp-home.ts";

const SESSIONS = 600;
const OLD = new Date("2026-03-01T00:00:00Z");

function writeSession(folder: string, number: number): void {
  const sessionId = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  const message = { role: "user", content: `needle ${number}` };
  const place = { sessionId, timestamp: OLD.toISOString(), cwd: "/srv" };
  const path = join(folder, `${sessionId}.jsonl`);
  writeFileSync(path, `${JSON.stringify({ type: "user", uuid: "u", parentUuid: null, ...place, message })}\n`);
  utimesSync(path, OLD, OLD);
}

it("a search that reads many sessions names the command that makes it fast", async () => {
  const { path: home } = tempHome();
  const folder = join(home, ".claude/projects/-srv");
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < SESSIONS; number++) writeSession(folder, number);
  const search = (...options: string[]) => runCli(["search", "needle", "--limit", "2", ...options], { home });
  expect((await search()).stderr).toContain(
    "600 sessions are not indexed yet; searches are fast after amux index build.",
  );
  expect((await search("--no-index")).stderr, "asked for").not.toContain("index build");
  expect((await runCli(["index", "build"], { home })).code).toBe(0);
  const silent = { code: 0, stderr: expect.not.stringContaining("index build") };
  expect(await search()).toMatchObject(silent);
  expect(await search("--sort", "cost"), "read to be counted").toMatchObject(silent);
});
