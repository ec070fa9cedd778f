import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SessionChanges } from "../../src/core/changes.ts";
import { warmCli } from "../support/warm-cli.ts";
import { AgentMachine, rowWith } from "./support/agent-machine.ts";
import { link } from "./support/linked.ts";
import { sharedMachine } from "./support/shared-daemon.ts";

/** A repository with a commit before the conversation, and two changed files. */
function changedProject(test: AgentMachine): string {
  const shop = test.project("shop");
  const date = { GIT_AUTHOR_DATE: "1700000000 +0000", GIT_COMMITTER_DATE: "1700000000 +0000" };
  const who = ["-c", "user.name=t", "-c", "user.email=t@t"];
  const git = (...args: string[]): void =>
    void execFileSync("git", [...who, ...args], { cwd: shop, env: { ...test.vars, ...date }, stdio: "pipe" });
  git("init", "--quiet");
  writeFileSync(join(shop, "a.txt"), "one\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "first");
  writeFileSync(join(shop, "a.txt"), "two\n");
  writeFileSync(join(shop, "new.txt"), "new\n");
  return shop;
}

let keys: string[] = [];
const shared = sharedMachine((atEnd) => {
  const test = new AgentMachine({}, atEnd);
  keys = [changedProject(test), test.project("plain"), test.project("gone")].map((cwd, at) =>
    test.old(at + 1, "Add a health route", cwd),
  );
  rmSync(join(test.userHome, "gone"), { recursive: true });
  return test;
});

it("a summary first, then the lines of one file, then only what was not looked at", async () => {
  const test = shared();
  const shop = test.project("shop");
  const key = keys[0]!;
  const { id } = await rowWith(test, key);
  const ask = (query = ""): Promise<SessionChanges> => test.data("GET", `/v1/sessions/${id}/changes${query}`);
  const summary = await ask();
  expect(summary).toMatchObject({ root: shop, added: 2, removed: 1 });
  expect(summary.files).toEqual([
    { path: "a.txt", state: "modified", isBinary: false, added: 1, removed: 1 },
    { path: "new.txt", state: "untracked", isBinary: false, added: 1, removed: 0 },
  ]);
  const [file] = (await ask("?path=a.txt")).files;
  expect(file!.hunks).toMatchObject([
    {
      lines: [
        { kind: "removed", text: "one" },
        { kind: "added", text: "two" },
      ],
    },
  ]);
  const looked = { files: [{ path: "a.txt", hunks: [file!.hunks![0]!.id!] }] };
  await test.data("POST", `/v1/history/claude:${key}/changes/look`, looked);
  expect((await ask("?since_look=1")).files.map(({ path }) => path)).toEqual(["new.txt"]);
  const past = await test.data<SessionChanges>("GET", `/v1/history/claude:${key}/changes?hunks=1`);
  expect(past.files.map(({ hunks }) => hunks?.length)).toEqual([1, 1]);
});

it("a repository that is not there, and a path outside of it, are refused with a sentence", async () => {
  const test = shared();
  const [, key, gone] = keys as [string, string, string];
  const refusal = async (path: string): Promise<[number, string]> => {
    const { status, text } = await test.ask("GET", path);
    return [status, (JSON.parse(text) as { error: { message: string } }).error.message];
  };
  expect(await refusal(`/v1/history/claude:${key}/changes`)).toEqual([
    422,
    expect.stringContaining("is not in a git repository"),
  ]);
  expect(await refusal(`/v1/history/claude:${gone}/changes`)).toEqual([
    422,
    expect.stringContaining("does not exist any more"),
  ]);
  expect((await refusal(`/v1/history/claude:${key}/changes?path=%2Fetc%2Fpasswd`))[0]).toBe(400);
});

it("changes on another machine are shown by amux changes id@peer", async () => {
  const [hub, spoke, key] = [await new AgentMachine().start(), shared(), keys[0]!];
  await link(hub, "box", spoke);
  const options = { home: hub.userHome, vars: { AMUX_HOME: hub.home } };
  const { stdout, stderr } = await warmCli(["changes", `claude:${key.slice(0, 8)}@box`, "--", "a.txt"], options);
  expect(stderr).toBe("");
  expect(stdout).toContain("a.txt  modified  +1 −1");
  const { id } = await rowWith(spoke, key);
  expect((await warmCli(["changes", `${id}@box`, "--stat"], options)).stdout).toContain("2 files, +2 −1");
});
