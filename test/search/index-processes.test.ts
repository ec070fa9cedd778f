import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { IndexStatus } from "../../src/history/search/engine.ts";
import { runJson } from "../support/run-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";
import { Random } from "./random.ts";
import { ClaudeSession } from "./random-corpus.ts";
import { needs } from "../support/needs.ts";
import { DEADLINE_MS } from "../support/deadline.ts";

const AMUX = join(import.meta.dirname, "../../dist/amux.cjs");
const OLD = new Date("2026-03-01T00:00:00Z");

function homeWith(seed: number, sessions: number, turns: number): string {
  const home = tempHome().path;
  const random = new Random(seed);
  for (let count = 0; count < sessions; count++) {
    const session = new ClaudeSession(random, home).turns(turns);
    session.write();
    utimesSync(session.file, OLD, OLD);
  }
  return home;
}

function startBuild(home: string): ChildProcess {
  const env = { PATH: process.env["PATH"], HOME: home };
  return spawn(process.execPath, [AMUX, "index", "build"], { env, stdio: "ignore" });
}

async function ids(home: string, ...args: string[]): Promise<string[]> {
  const hits = await warmJson<{ unifiedId: string }[]>(["sessions", "search", ...args, "--limit", "1000"], { home });
  return hits.map((hit) => hit.unifiedId);
}

async function lacking(home: string): Promise<number> {
  const { agents } = await warmJson<IndexStatus>(["index", "status"], { home });
  return agents.reduce((sum, { outdated, missing }) => sum + outdated + missing, 0);
}

describe("building the index", () => {
  it("continues after being killed at any moment", async () => {
    const home = homeWith(1, 24, 12);
    const index = join(home, ".agent-mux/index.db");
    const expected = await ids(home, "retry", "--no-index");
    for (const delayMs of [0, 40, 120]) {
      const build = startBuild(home);
      await vi.waitUntil(() => existsSync(index) || build.exitCode !== null, { timeout: DEADLINE_MS, interval: 5 });
      // How far it gets depends on the machine, which is intended.
      await new Promise((resolve) => {
        setTimeout(resolve, delayMs);
      });
      build.kill("SIGKILL");
      if (build.exitCode === null) await once(build, "exit");
      expect(await ids(home, "retry")).toEqual(expected);
    }
    const { code } = await warmCli(["index", "build"], { home });
    expect(code).toBe(0);
    expect(await lacking(home)).toBe(0);
    expect(await ids(home, "retry")).toEqual(expected);
  });

  it("happens once when several start together, and no search waits or fails", async () => {
    const home = homeWith(2, 20, 10);
    const expected = await ids(home, "policy", "--no-index");
    const builds = Array.from({ length: 3 }, () => runJson<{ added: number }>(["index", "build"], { home }));
    const searches = Array.from({ length: 3 }, () => ids(home, "policy"));
    for (const found of await Promise.all(searches)) expect(found).toEqual(expected);
    const added = (await Promise.all(builds)).map((build) => build.added);
    expect(Math.max(...added)).toBeLessThanOrEqual(20);
    await warmCli(["index", "build"], { home });
    expect(await lacking(home)).toBe(0);
    expect(await ids(home, "policy")).toEqual(expected);
  });

  /** Before anything is written, and after some sessions. */
  const FULL_AT_BLOCKS = [40, 180];

  it.each(FULL_AT_BLOCKS)(
    "stops on a full disk (%i blocks), and everything still works",
    needs(process.platform !== "win32", "another system than Windows"),
    async (blocks) => {
      const home = homeWith(3, 24, 40);
      const expected = await ids(home, "retry", "--no-index");
      // A file size limit looks like a full disk to a writer.
      const limited = `trap '' XFSZ; ulimit -f ${blocks}; exec "${process.execPath}" "${AMUX}" index build`;
      const build = spawn("sh", ["-c", limited], { env: { PATH: process.env["PATH"], HOME: home }, stdio: "pipe" });
      let said = "";
      build.stderr.on("data", (data: Buffer) => (said += data.toString()));
      const [code] = (await once(build, "close")) as [number];
      expect({ code, said }).toEqual({
        code: 1,
        said: "amux: The disk is full. The index keeps what was read so far.\n",
      });
      expect(await ids(home, "retry")).toEqual(expected);
      expect((await warmCli(["index", "build"], { home })).code).toBe(0);
      expect(await lacking(home)).toBe(0);
      expect(await ids(home, "retry")).toEqual(expected);
    },
  );
});

describe("amux index", () => {
  it("shows, builds and clears it", async () => {
    const home = homeWith(4, 5, 2);
    const path = join(home, ".agent-mux/index.db");
    const empty = await warmCli(["index", "status"], { home });
    expect(empty.stdout).toContain(`${path}  does not exist yet`);
    expect(empty.stdout).toMatch(/claude +5 +0 +0 +5/);
    expect(empty.stderr).toContain("5 not indexed yet; amux index build adds them now.");
    expect((await warmCli(["index", "build"], { home })).stdout).toBe("5 sessions read, 0 unchanged.\n");
    expect((await warmCli(["index", "status"], { home })).stdout).toMatch(/claude +5 +5 +0 +0/);
    expect((await warmCli(["index", "build"], { home })).stdout).toBe("0 sessions read, 5 unchanged.\n");
    const ofAnother = await warmCli(["index", "build", "--agent", "codex"], { home });
    expect(ofAnother.stdout).toBe("0 sessions read, 0 unchanged.\n");
    expect((await warmCli(["index", "clear"], { home })).stdout).toBe("Removed the index.\n");
    expect(existsSync(path)).toBe(false);
  });
});
