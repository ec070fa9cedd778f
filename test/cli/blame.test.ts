import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { blamed, madeDay } from "../support/blame-day.ts";
import { gitRepository } from "../support/git-repository.ts";
import { warmCli } from "../support/warm-cli.ts";

it("names session, message, prompt and cost of lines and commits, and how to open them", async () => {
  const day = madeDay();
  const options = { home: day.home, cwd: day.repo };
  const [claude] = day.sessions;
  const file = await blamed(["src/claude-made.js:1-5"], options);
  expect(file.lines).toEqual({ proved: 5, near: 0, none: 0 });
  expect(file.ranges).toMatchObject([
    {
      start: 1,
      end: 5,
      evidence: "proved by this edit",
      prompt: "Task 0001: improve the shop.",
      model: "claude-opus-5-5",
      origin: { agent: "claude", sessionId: claude!.id },
    },
  ]);
  expect(file.ranges[0]!.turnUsd).toBeGreaterThan(0);
  expect(file.sessions).toMatchObject([{ unifiedId: `claude:${claude!.id}`, proved: 5, near: 0 }]);
  const { messageIndex } = file.ranges[0]!.origin;

  const commit = await blamed(["HEAD~1"], options);
  expect(commit.target).toMatchObject({ kind: "commit", subject: "Format prices" });
  expect(commit.ranges.some(({ change }) => change === "removed")).toBe(true);

  const { stdout, code } = await warmCli(["blame", "src/claude-made.js"], options);
  expect(code).toBe(0);
  expect(stdout).toContain("proved by this edit");
  expect(stdout).toContain(`amux show claude:${claude!.id} --from ${messageIndex}`);
  const shown = await warmCli(["show", `claude:${claude!.id}`, "--from", String(messageIndex), "--limit", "1"], {
    home: day.home,
  });
  expect(shown.stdout).toContain(`#${messageIndex} assistant`);
  expect(shown.stdout).toContain("claude-made.js");
});

it("says in a sentence what cannot be blamed", async () => {
  const { path, home, vars, commit, write, git } = gitRepository();
  commit("first", { "a.txt": "one\ntwo\n", "gone.txt": "gone\n" });
  rmSync(join(path, "gone.txt"));
  const removed = commit("second");
  mkdirSync(join(path, "folder"));
  writeFileSync(join(path, "empty.txt"), "");
  write("picture.png", Buffer.from([1, 0, 2]));
  const said = async (args: string[], cwd = path): Promise<string> => {
    const { code, stderr } = await warmCli(["blame", ...args], { home, vars, cwd });
    expect(code, stderr).not.toBe(0);
    return stderr;
  };
  git("config", "diff.shown.textconv", "false");
  write(".gitattributes", "a.txt diff=shown\n");
  expect((await warmCli(["blame", "a.txt"], { home, vars, cwd: path })).stdout).toContain("2 lines");
  expect(await said(["folder"])).toContain("is a directory. Name a file in it");
  expect(await said(["picture.png"])).toContain("is a binary file");
  expect(await said(["empty.txt"])).toContain("is empty");
  expect(await said(["a.txt:3"])).toContain("has lines 1 to 2; 3 is not among them");
  expect(await said(["gone.txt"])).toContain(`commit ${removed.slice(0, 7)} took it away`);
  expect(await said(["nothing"])).toContain("is neither a file here nor a commit");
  expect(await said(["a.txt", "--pr", "1"])).toContain("one of them");
  expect(await said(["--pr", "1"])).toContain("gh did not tell about pull request 1");
  expect(await said(["HEAD"], home)).toContain("is not in a git repository");
  git("clone", "-q", "--bare", path, join(home, "bare.git"));
  expect(await said(["HEAD"], join(home, "bare.git"))).toContain("bare repository");
  git("clone", "-q", "--depth", "1", `file://${path}`, join(home, "shallow"));
  expect(await said(["HEAD"], join(home, "shallow"))).toContain("where this shallow clone begins");
  const { stdout } = await warmCli(["blame", "a.txt"], { home, vars, cwd: join(home, "shallow") });
  expect(stdout).toContain("This is a shallow clone");
  expect(stdout).toContain("2 lines: 0 proved, 0 near, 2 not by a session we know");
});
