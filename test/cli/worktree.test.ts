import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TestHome } from "../runner/support/sessions.ts";
import { gitRepository, type GitRepository } from "../support/git-repository.ts";
import type { CliResult } from "../support/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { warmCli } from "../support/warm-cli.ts";

const SETTINGS = ".agent-mux/worktree.json";

function inRepository(): GitRepository & { sessions: TestHome; amux: (...args: string[]) => Promise<CliResult> } {
  const repository = gitRepository();
  const sessions = new TestHome();
  const vars = { ...repository.vars, AMUX_HOME: sessions.home };
  const amux = (...args: string[]): Promise<CliResult> =>
    warmCli(args, { home: repository.home, vars, cwd: repository.path });
  return { ...repository, sessions, amux };
}

describe("amux run --worktree", () => {
  it("starts the session in a new worktree; its set-up runs there, in its terminal, once it is trusted", async () => {
    const { amux, commit, home, sessions, write } = inRepository();
    commit("first", {
      [SETTINGS]: JSON.stringify({ copy: [".env"], setup: "cat .env > made && echo prepared" }),
      ".gitignore": ".env\nmade\n",
    });
    write(".env", "KEY=1");
    const run = ["--", "sh", "-c", "test -e made && cat made; exec cat"];
    const first = await amux("run", "-d", "--worktree", "fix/tax", ...run);
    expect(first.code).toBe(0);
    expect(first.stderr).toContain("is not trusted. See what it does, then: amux trust");
    const there = join(home, "shop.worktrees/fix-tax");
    expect(readFileSync(join(there, ".env"), "utf8")).toBe("KEY=1");
    expect((await amux("trust")).stdout).toContain("may run cat .env > made && echo prepared in new worktrees");
    const second = await amux("run", "-d", "--json", "--worktree", ...run);
    const { id, worktree, branch } = JSON.parse(second.stdout) as Record<string, string>;
    expect([worktree, branch]).toEqual([join(home, "shop.worktrees/amux-1"), "amux-1"]);
    await waitFor("the set-up's file in the terminal", async () => (await amux("tail", id!)).stdout.includes("KEY=1"));
    expect((await amux("tail", id!)).stdout).toContain("prepared");
    expect(existsSync(join(there, "made"))).toBe(false);
    for (const session of [first.stdout.trim(), id!]) await sessions.client.kill(session);
  });

  it("creates nothing for a run that cannot start, and names what is wrong", async () => {
    const { amux, commit, home } = inRepository();
    commit("first");
    const missing = await amux("run", "--worktree", "b", "nobody", "do it");
    expect(missing.code).not.toBe(0);
    const wrong = await amux("run", "--worktree=a b", "-d", "--", "true");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("cannot be a branch name")]);
    const unknown = await amux("run", "--worktree", "b", "-d", "--", "no-such-command");
    expect([unknown.code, unknown.stderr]).toEqual([127, expect.stringContaining("Command not found")]);
    const resumed = await amux("run", "--worktree", "--session", "x", "claude", "go on");
    expect(resumed.code).not.toBe(0);
    expect(existsSync(join(home, "shop.worktrees"))).toBe(false);
  });
});

it("amux changes without a name finds the session of a worktree from the main checkout, not the other way round", async () => {
  const { amux, commit, git, home, path, vars, sessions } = inRepository();
  commit("first", { "a.txt": "one\n" });
  const run = await amux("run", "-d", "--worktree", "b", "--", "sh", "-c", "echo two > a.txt; exec cat");
  const there = join(home, "shop.worktrees/b");
  await waitFor("the change", async () => readFileSync(join(there, "a.txt"), "utf8") === "two\n");
  expect((await amux("changes", "--stat")).stdout).toContain("a.txt");
  git("worktree", "add", "-q", join(home, "shop.worktrees/c"));
  const cwd = join(home, "shop.worktrees/c");
  const other = await warmCli(["changes"], { home, vars: { ...vars, AMUX_HOME: sessions.home }, cwd });
  expect(other.stderr).toContain("No session was found in");
  await sessions.client.kill(run.stdout.trim());
  await sessions.waitForEnd(run.stdout.trim());
  await amux("worktree", "remove", "b", "--force");
  const again = await amux("resume", run.stdout.trim(), "-d");
  expect(again.stderr).toBe(
    `amux: The directory ${there} does not exist. It may have been a git worktree; git -C ${path} worktree add ${there} makes a new one there.\n`,
  );
});

describe("amux worktree", () => {
  it("lists, refuses while a session runs there, and finishes by the session's name", async () => {
    const { amux, commit, home, gitIn, git, sessions } = inRepository();
    commit("first", { "a.txt": "a" });
    const { stdout } = await amux("run", "-d", "--worktree", "fix/tax", "--name", "tax", "--", "sleep", "1000");
    const id = stdout.trim();
    const there = join(home, "shop.worktrees/fix-tax");
    gitIn(there, "commit", "--quiet", "--allow-empty", "--message", "work");
    const { worktrees } = JSON.parse((await amux("worktree", "list", "--json")).stdout) as { worktrees: object[] };
    expect(worktrees[1]).toMatchObject({
      branch: "fix/tax",
      ahead: 1,
      behind: 0,
      uncommitted: 0,
      isMerged: false,
      sessions: [{ ref: id, name: "tax", alive: true }],
    });
    expect((await amux("worktree", "list")).stdout).toMatch(/fix\/tax +tax +main +1 +0 +0/);
    for (const verb of ["finish", "remove"]) {
      const refused = await amux("worktree", verb, "fix/tax");
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`in use by tax (${id})`)]);
    }
    await sessions.client.kill(id);
    const removed = await amux("worktree", "remove", "fix/tax");
    expect(removed.stderr).toContain("has 1 commit not in main");
    const finished = await amux("worktree", "finish", "tax");
    expect(finished).toMatchObject({ code: 0, stdout: expect.stringContaining("Merged fix/tax into main: 1 commit.") });
    expect([git("log", "--format=%s"), existsSync(there)]).toEqual(["work\nfirst", false]);
  });
});
