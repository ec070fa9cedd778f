import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addWorktree } from "../../src/changes/worktree/add-worktree.ts";
import { gitRepository, type GitRepository } from "../support/git-repository.ts";
import type { CliResult } from "../support/run-cli.ts";
import { warmCli } from "../support/warm-cli.ts";

const ID = "11111111-2222-4333-8444-555555555555";
const SECRET = ["ghp", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"].join("_");

interface Prepared extends GitRepository {
  there: string;
  amux: (...args: string[]) => Promise<CliResult>;
  /** What the stand-in for GitHub was asked, one word per line. */
  asked: () => string;
}

/** A worktree with a commit, a remote, and a conversation of Claude Code about it. */
async function prepared(): Promise<Prepared> {
  const repository = gitRepository();
  const { home, path, git, gitIn, env, vars } = repository;
  repository.commit("first", { "a.txt": "a" });
  gitIn(home, "init", "--quiet", "--bare", "remote.git");
  git("remote", "add", "origin", join(home, "remote.git"));
  git("push", "--quiet", "origin", "main");
  const { path: there } = await addWorktree(path, { branch: "fix/tax" }, env);
  gitIn(there, "commit", "--quiet", "--allow-empty", "--message", "work");
  const said = (type: string, content: string, at: number): string =>
    JSON.stringify({
      type,
      uuid: `${at}`,
      parentUuid: at === 1 ? null : `${at - 1}`,
      sessionId: ID,
      cwd: there,
      version: "2.1.0",
      timestamp: `2026-11-17T10:00:0${at}.000Z`,
      message: { role: type, content, ...(type === "assistant" ? { model: "claude-x", id: `m${at}` } : {}) },
    });
  const lines = [
    said("user", "Fix the tax of gifts", 1),
    said("assistant", "I look at it.", 2),
    said("user", "go on", 3),
    said("assistant", `Gifts have no tax now. The token was ${SECRET}.`, 4),
  ];
  const project = join(home, ".claude/projects/-shop");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, `${ID}.jsonl`), `${lines.join("\n")}\n`);
  mkdirSync(join(home, "bin"));
  const log = join(home, "gh.log");
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" > ${log}\necho https://github.com/me/shop/pull/7\n`;
  writeFileSync(join(home, "bin/gh"), script, { mode: 0o755 });
  const path2 = `${join(home, "bin")}:${vars["PATH"]}`;
  const amux = (...args: string[]): Promise<CliResult> =>
    warmCli(args, { home, vars: { ...vars, PATH: path2 }, cwd: home });
  return { ...repository, there, amux, asked: () => (existsSync(log) ? readFileSync(log, "utf8") : "") };
}

describe("amux pr create", () => {
  it("pushes the branch and opens a pull request with the last message and the session", async () => {
    const { amux, asked, gitIn, home, there } = await prepared();
    const dry = await amux("pr", "create", `claude:${ID}`, "--dry-run");
    expect(dry.stdout).toContain("push --set-upstream origin fix/tax");
    const unconfirmed = await amux("pr", "create", `claude:${ID}`);
    expect([unconfirmed.code, unconfirmed.stderr]).toEqual([2, expect.stringContaining("Confirm with --yes")]);
    const remote = join(home, "remote.git");
    expect([asked(), gitIn(remote, "branch", "--list", "fix/tax")]).toEqual(["", ""]);
    const { code, stdout } = await amux("pr", "create", `claude:${ID}`, "--yes", "--json", "--draft");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      session: `claude:${ID}`,
      directory: there,
      branch: "fix/tax",
      base: "main",
      commits: 1,
      title: "Fix the tax of gifts",
      redacted: 1,
      url: "https://github.com/me/shop/pull/7",
    });
    expect(gitIn(remote, "log", "--format=%s", "fix/tax")).toBe("work\nfirst");
    const words = asked();
    for (const word of ["pr", "create", "--head=fix/tax", "--base=main", "--draft", "--title=Fix the tax of gifts"])
      expect(words.split("\n")).toContain(word);
    expect(words).toContain(`--body=Gifts have no tax now. The token was [redacted`);
    expect(words).toContain(`Made in the session \`claude:${ID}\` (claude-x). To read it: \`amux show claude:${ID}\``);
    expect(words).not.toContain(SECRET);
  });

  it("does not push the remote's main branch, which would need no pull request any more", async () => {
    const { amux, asked, git, gitIn, home, path } = await prepared();
    const remote = join(home, "remote.git");
    gitIn(remote, "symbolic-ref", "HEAD", "refs/heads/main");
    git("commit", "--quiet", "--allow-empty", "--message", "not reviewed");
    for (const more of [[], ["--base", "release"]]) {
      const { code, stderr } = await amux("pr", "create", `claude:${ID}`, "--yes", "--cwd", path, ...more);
      expect([code, stderr]).toEqual([2, expect.stringContaining("main is the main branch of origin")]);
    }
    git("remote", "set-head", "origin", "main");
    expect((await amux("pr", "create", `claude:${ID}`, "--yes", "--cwd", path)).stderr).toContain("is the main branch");
    expect([gitIn(remote, "log", "--format=%s", "main"), asked()]).toEqual(["first", ""]);
  });

  it("says what to do without gh, a branch, a commit or a remote, and pushes nothing", async () => {
    const { amux, git, gitIn, home, there, vars } = await prepared();
    const run = (...args: string[]): Promise<CliResult> => amux("pr", "create", `claude:${ID}`, "--yes", ...args);
    const noGh = await warmCli(["pr", "create", `claude:${ID}`, "--yes"], {
      home,
      vars: { ...vars, PATH: onlyGit(home, vars["PATH"]!) },
      cwd: home,
    });
    expect([noGh.code, noGh.stderr]).toEqual([127, expect.stringContaining("Install it from https://cli.github.com")]);
    expect(gitIn(join(home, "remote.git"), "branch", "--list", "fix/tax")).toBe("");
    expect((await run("--remote", "--evil")).code).toBe(2);
    expect((await run("--remote", "nowhere")).stderr).toContain("has no remote nowhere");
    gitIn(there, "reset", "--quiet", "--hard", "main");
    expect((await run()).stderr).toContain("fix/tax has no commit that main lacks");
    gitIn(there, "checkout", "--quiet", "--detach");
    expect((await run()).stderr).toContain("is on no branch");
    git("remote", "remove", "origin");
    gitIn(there, "checkout", "--quiet", "fix/tax");
    expect((await run()).stderr).toContain("has no remote. Add one");
    git("worktree", "remove", "--force", there);
    expect((await run()).stderr).toContain("does not exist");
  });
});

/** A PATH with git and without whatever gh the machine has. */
function onlyGit(home: string, path: string): string {
  const place = path.split(":").find((directory) => existsSync(join(directory, "git")))!;
  if (!path.split(":").some((directory) => existsSync(join(directory, "gh")))) return path;
  mkdirSync(join(home, "only"));
  writeFileSync(join(home, "only/git"), `#!/bin/sh\nexec ${place}/git "$@"\n`, { mode: 0o755 });
  return join(home, "only");
}
