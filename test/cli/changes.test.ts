import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SessionChanges } from "../../src/core/changes.ts";
import { checkedJson } from "../docs/schemas/index.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { gitRepository, type GitRepository } from "../support/git-repository.ts";
import type { CliResult } from "../support/run-cli.ts";
import { warmCli } from "../support/warm-cli.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";
const T0 = Date.parse("2026-06-01T12:00:00Z");

interface Shop extends GitRepository {
  amux(...args: string[]): Promise<CliResult>;
}

/** A repository in which a session of Claude Code edited a.txt, and somebody else b.txt. */
function shop(): Shop {
  const repository = gitRepository();
  const { path, vars, home, commit, write } = repository;
  commit("first", { "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" }, T0 - 60_000);
  const facts = { cwd: path, sessionId: SESSION, version: "2.1.0", gitBranch: "main", isSidechain: false };
  const before = "two\nthree\n";
  const after = "the second line, as it was asked for\nthree\n";
  const input = { file_path: join(path, "a.txt"), old_string: before, new_string: after };
  const records = [
    {
      ...facts,
      type: "user",
      uuid: "u1",
      parentUuid: null,
      timestamp: new Date(T0).toISOString(),
      message: { role: "user", content: "change the second line" },
    },
    {
      ...facts,
      type: "assistant",
      uuid: "u2",
      parentUuid: "u1",
      timestamp: new Date(T0 + 5000).toISOString(),
      requestId: "r1",
      message: {
        id: "m1",
        role: "assistant",
        model: "claude-opus-4",
        content: [{ type: "tool_use", id: "t1", name: "Edit", input }],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    {
      ...facts,
      type: "user",
      uuid: "u3",
      parentUuid: "u2",
      timestamp: new Date(T0 + 6000).toISOString(),
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: "The file was updated." }],
      },
    },
  ];
  const folder = join(home, ".claude/projects/-shop");
  mkdirSync(folder, { recursive: true });
  write(`../.claude/projects/-shop/${SESSION}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  write("a.txt", readFileSync(join(path, "a.txt"), "utf8").replace(before, after));
  write("b.txt", "changed by hand\n");
  return { ...repository, amux: (...args) => warmCli(args, { home, vars, cwd: path }) };
}

it("shows what the newest session of this repository changed, as text and as JSON", async () => {
  const { amux, home, vars, path, write } = shop();
  const { stdout, code } = await amux("changes");
  expect(code).toBe(0);
  expect(stdout).toContain(`claude:${SESSION}  2 files, +2 −2`);
  expect(stdout).toContain("HEAD when the session began. Up to the working tree");
  expect(stdout).toContain("-two\n+the second line, as it was asked for\n three\n");
  const stat = await amux("changes", "1111", "--stat");
  expect(stat.stdout.trimEnd().split("\n").slice(2)).toEqual(["a.txt  modified  +1 −1", "b.txt  modified  +1 −1"]);
  write("deep/new.txt", "new\n");
  const options = { home, vars, cwd: join(path, "deep") };
  const changes = (await checkedJson("changes", [`claude:${SESSION}`, "--", "new.txt"], options)) as SessionChanges;
  expect(changes.files).toMatchObject([{ path: "deep/new.txt", state: "untracked", hunks: [{ newLines: 1 }] }]);
});

it("names its hunks' session and message, and shows only those with --mine", async () => {
  const { amux } = shop();
  const { stdout } = await amux("changes", "--mine");
  expect(stdout).toContain("1 file, +1 −1");
  expect(stdout).toMatch(/@@ -1,3 \+1,3 @@ {2}claude 11111111-2222 #1 \(near, proved\)/);
});

it("shows changes of a terminal session without a conversation, while it runs", async () => {
  const { home, path, vars, commit, write } = gitRepository();
  commit("first", { "a.txt": "one\n" });
  const sessions = new TestHome();
  const id = await sessions.client.spawn({ command: ["cat"], cwd: path });
  write("a.txt", "two\n");
  const options = { home, vars: { ...vars, AMUX_HOME: sessions.home }, cwd: home };
  const changes = (await checkedJson("changes", [id], options)) as SessionChanges;
  expect(changes.base.sentence).toContain("Up to the working tree.");
  expect(changes.files).toMatchObject([{ path: "a.txt", added: 1, removed: 1 }]);
  await sessions.client.kill(id);
});

it("says in a sentence why there is nothing to compare", async () => {
  const { amux, home, path, vars } = shop();
  const outside = await warmCli(["changes"], { home, vars, cwd: home });
  expect([outside.code, outside.stderr]).toEqual([
    6,
    `amux: ${home} is not in a git repository, so there is nothing to compare with.\n`,
  ]);
  expect((await amux("changes", "nobody")).code).toBe(8);
  expect((await amux("changes", "--staged", "--committed")).code).toBe(2);
  rmSync(path, { recursive: true });
  const gone = await warmCli(["changes", `claude:${SESSION}`], { home, vars, cwd: home });
  expect(gone.stderr).toContain(`${path} does not exist any more`);
});
