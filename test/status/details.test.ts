import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { GitCache } from "../../src/status/git-cache.ts";
import { readGitInfo } from "../../src/status/git-info.ts";
import { withDetails } from "../../src/status/details.ts";
import { cpuPercent, rowFromPs, usageOfTrees } from "../../src/status/process-usage.ts";
import { gitOf, tokensOf, withKnownFields } from "../../src/status/status-file.ts";
import { tempHome } from "../support/temp-home.ts";

function git(cwd: string, ...args: string[]): string {
  const identity = [
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@b.c",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "commit.gpgsign=false",
  ];
  return execFileSync("git", [...identity, ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

function repository(): string {
  const path = join(tempHome().path, "repo");
  mkdirSync(path);
  git(path, "init", "-q");
  return path;
}

describe("git", () => {
  it("shows branch, changes, distance, commit and remote", async () => {
    const home = tempHome();
    const upstream = join(home.path, "up.git");
    execFileSync("git", ["init", "-q", "--bare", upstream]);
    const path = repository();
    writeFileSync(join(path, "a"), "1");
    git(path, "add", ".");
    git(path, "commit", "-q", "-m", "Add login form; 'quoted' \"too\"");
    git(path, "remote", "add", "origin", upstream);
    git(path, "push", "-q", "-u", "origin", "HEAD");
    git(path, "commit", "-q", "--allow-empty", "-m", "two");
    git(path, "commit", "-q", "--allow-empty", "-m", "three");
    git(path, "remote", "set-url", "origin", "https://me:s3cret@github.com/org/app.git");
    expect(await readGitInfo(path)).toEqual({
      branch: git(path, "branch", "--show-current"),
      dirty: false,
      ahead: 2,
      behind: 0,
      head: git(path, "rev-parse", "HEAD"),
      lastCommit: `${git(path, "rev-parse", "--short", "HEAD")} three`,
      remote: "origin",
      remoteUrl: "https://github.com/org/app.git",
      fetchedMs: expect.any(Number) as number,
    });
    git(path, "reset", "-q", "--hard", "HEAD~2");
    writeFileSync(join(path, "new file"), "x");
    expect(await readGitInfo(path)).toMatchObject({
      dirty: true,
      ahead: 0,
      behind: 0,
      lastCommit: expect.stringMatching(/ Add login form; 'quoted' "too"$/) as string,
    });
  });

  it("shows a repository without commits, a detached head, and no repository", async () => {
    const path = repository();
    expect(await readGitInfo(path)).toMatchObject({
      head: "",
      lastCommit: "",
      dirty: false,
      remote: "",
      remoteUrl: "",
    });
    git(path, "commit", "-q", "--allow-empty", "-m", "one");
    git(path, "checkout", "-q", "--detach");
    expect(await readGitInfo(path)).toMatchObject({ branch: "(detached)" });
    expect(await readGitInfo(tempHome().path)).toBeUndefined();
    expect(await readGitInfo("/nowhere/at/all")).toBeUndefined();
  });

  it("leaves no lock and takes none", async () => {
    const path = repository();
    writeFileSync(join(path, ".git/index.lock"), "");
    expect(await readGitInfo(path)).toBeDefined();
  });

  it("is cached, answered at once, and queried once for many callers", async () => {
    const home = tempHome();
    const path = repository();
    git(path, "commit", "-q", "--allow-empty", "-m", "one");
    git(path, "remote", "add", "origin", "git@github.com:org/app.git");
    // A `gh` that counts its calls.
    const gh = home.write("bin/gh", `#!/bin/sh\necho x >> "${home.path}/calls"\necho '{"number":42}'\n`);
    chmodSync(gh, 0o755);
    const before = process.env["PATH"];
    process.env["PATH"] = `${join(home.path, "bin")}:${before}`;
    onTestFinished(() => {
      process.env["PATH"] = before;
    });
    const cache = new GitCache();
    expect(cache.peek(path)).toBeUndefined();
    const [first, second] = await Promise.all([cache.getWithPullRequest(path), cache.get(path)]);
    expect(first).toMatchObject({ prNumber: 42, remoteUrl: "git@github.com:org/app.git" });
    expect(second?.fetchedMs).toBe(first?.fetchedMs);
    expect(cache.peek(path)).toEqual(first);
    await cache.getWithPullRequest(path);
    expect(readFileSync(join(home.path, "calls"), "utf8")).toBe("x\n");
  });

  it("is not awaited longer than wanted, and is there the next time", async () => {
    const home = tempHome();
    const path = repository();
    git(path, "remote", "add", "origin", "git@github.com:org/app.git");
    const gh = home.write(
      "bin/gh",
      `#!/bin/sh\nwhile [ ! -e "${home.path}/go" ]; do sleep 0.05; done\necho '{"number":7}'\n`,
    );
    chmodSync(gh, 0o755);
    const before = process.env["PATH"];
    process.env["PATH"] = `${join(home.path, "bin")}:${before}`;
    onTestFinished(() => {
      process.env["PATH"] = before;
    });
    const cache = new GitCache();
    await cache.get(path);
    expect(await cache.within(path, 50)).not.toHaveProperty("prNumber");
    home.write("go", "");
    await expect.poll(() => cache.within(path, 50)).toMatchObject({ prNumber: 7 });
  });

  it("works without gh", async () => {
    const path = repository();
    git(path, "remote", "add", "origin", "x");
    expect((await new GitCache().getWithPullRequest(path))?.prNumber).toBeUndefined();
  });
});

it("details are written as documented, beside what others wrote", () => {
  const file = withKnownFields({ git: { pr_detail: { draft: true }, branch: "old" }, tokens: { x: 1 } }, "s");
  const info = {
    branch: "b",
    dirty: true,
    ahead: 1,
    behind: 2,
    head: "h",
    lastCommit: "h s",
    remote: "origin",
    remoteUrl: "https://x/y",
    prNumber: 3,
    fetchedMs: 5000,
  };
  const written = withDetails(file, { git: info, tokens: { input: 1, output: 2, total: 3 } });
  expect(gitOf(written)).toEqual({
    branch: "b",
    dirty: true,
    ahead: 1,
    behind: 2,
    last_commit: "h s",
    remote: "origin",
    pr_num: 3,
    fetched_at: 5,
  });
  expect(written["git"]).toMatchObject({ pr_detail: { draft: true }, remote_url: "https://x/y" });
  expect(tokensOf(written)).toEqual({ input: 1, output: 2, total: 3 });
  expect(withDetails(file, {})).toEqual(file);
});

describe("memory and CPU time", () => {
  it("are those of the process and its descendants", async () => {
    // A shell with a Node child that uses memory and CPU.
    const busy =
      "const held = Buffer.alloc(60e6, 1); while (process.cpuUsage().user < 3e5); console.log('ready'); setTimeout(() => held.length, 60000)";
    const child = spawn("sh", ["-c", `"${process.execPath}" -e "${busy}"; true`], {
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    onTestFinished(() => void process.kill(-child.pid!, "SIGKILL"));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const trees = await usageOfTrees([child.pid!, 2 ** 22 - 5]);
    const usage = trees.get(child.pid!)!;
    expect(usage.processes).toBe(2);
    expect(usage.rssBytes).toBeGreaterThan(90e6);
    expect(usage.cpuSeconds).toBeGreaterThan(0.2);
    expect(trees.size).toBe(1);
  });

  it("give a rate between two samples", () => {
    const look = (cpuSeconds: number) => ({ processes: 1, rssBytes: 1, cpuSeconds });
    expect(cpuPercent(look(1), look(1.5), 1000)).toBe(50);
    expect(cpuPercent(look(2), look(1), 1000)).toBeUndefined();
  });

  it.each([
    ["  123     1  4567   1:02.50", [{ pid: 123, parent: 1, rssBytes: 4567 * 1024, cpuSeconds: 62.5 }]],
    ["1 0 8 2-03:04:05", [{ pid: 1, parent: 0, rssBytes: 8192, cpuSeconds: 2 * 86_400 + 3 * 3600 + 4 * 60 + 5 }]],
    ["PID PPID RSS TIME", []],
    ["", []],
  ])("are read from %j of ps", (line, rows) => {
    expect(rowFromPs(line)).toEqual(rows);
  });
});
