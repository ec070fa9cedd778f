import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gitRepository, type GitRepository } from "../../../test/support/git-repository.ts";
import { clientOf, madeAgent } from "../../../test/support/made-agent.ts";
import { blame, localSource } from "../blame/blame.ts";
import { sessionChanges } from "./session-changes.ts";

const LINE = 'import { join, resolve } from "node:path";';
const OTHERS = "// the first line of this file\n// the second line of this file\n";
const NOW = Date.now();
const MINUTE = 60_000;

/** How sure it is that a session wrote this line, by `changes` and by `blame`; it edited `file` ten minutes ago. */
async function tiers(made: GitRepository, file: string, shown: string, name: string): Promise<string[]> {
  const timestamp = new Date(NOW - 10 * MINUTE);
  const input = { file_path: file, old_string: "// the first", new_string: `${LINE}\n// the first` };
  const messages = [
    { role: "assistant" as const, content: "", timestamp, toolCalls: [{ toolCallId: "c", toolName: "Edit", input }] },
    {
      role: "tool" as const,
      content: "",
      timestamp,
      toolResult: { toolCallId: "c", toolName: "Edit", output: "done" },
    },
  ];
  const head = { createdMs: NOW - 11 * MINUTE, updatedMs: NOW, cwd: made.path };
  const { sessions } = clientOf(made.home, madeAgent("made", [{ id: "one", head, messages }]));
  const subject = { session: { agent: "made", sessionId: "one" }, terminal: { id: "s", cwd: shown, isRunning: true } };
  const { files } = await sessionChanges({ sessions, env: made.env }, subject, { hunks: true });
  const hunk = files.find(({ path }) => path === name)?.hunks?.[0];
  const report = await blame([localSource(sessions)], { target: `${name}:1`, cwd: shown }, made.env);
  return [hunk?.origin.tier ?? "nothing", report.ranges[0]!.origin.tier];
}

it.each([
  ["plain.ts", "\n"],
  ["my file.ts", "\n"],
  ["windows.ts", "\r\n"],
])("a line that a commit took away and a person typed again is not a session's: %s", async (name, end) => {
  const made = gitRepository();
  const [without, withLine] = [OTHERS, `${LINE}\n${OTHERS}`].map((text) => text.replaceAll("\n", end)) as [
    string,
    string,
  ];
  made.commit("first", { [name]: without }, NOW - 20 * MINUTE);
  made.write(name, withLine);
  const file = join(made.path, name);
  expect(await tiers(made, file, made.path, name)).toEqual(["proved", "proved"]);
  made.commit("second", {}, NOW - 8 * MINUTE);
  made.commit("third", { [name]: without }, NOW - 6 * MINUTE);
  made.write(name, withLine);
  expect(await tiers(made, file, made.path, name)).not.toContain("proved");
});

it("a line that a session wrote in a worktree is not its own where a person typed it, but where it was merged", async () => {
  const made = gitRepository();
  made.commit("first", { "a.ts": OTHERS }, NOW - 20 * MINUTE);
  const tree = join(made.home, "shop.worktrees", "try");
  made.git("worktree", "add", "-q", "-b", "try", tree);
  const file = join(tree, "a.ts");
  made.write("../shop.worktrees/try/a.ts", `${LINE}\n${OTHERS}`);
  made.write("a.ts", `${LINE}\n${OTHERS}`);
  expect(await tiers(made, file, made.path, "a.ts")).toEqual(["near", "near"]);
  made.git("checkout", "-q", "--", "a.ts");
  made.gitIn(tree, "commit", "-q", "-a", "-m", "in the worktree");
  made.git("merge", "-q", "--ff-only", "try");
  expect((await tiers(made, file, made.path, "a.ts"))[1]).toBe("proved");
  made.git("worktree", "remove", tree);
  expect((await tiers(made, file, made.path, "a.ts"))[1]).toBe("proved");
});

it("a line of a worktree that was thrown away is not its session's where a person committed it", async () => {
  const made = gitRepository();
  made.commit("first", { "a.ts": OTHERS }, NOW - 20 * MINUTE);
  const tree = join(made.home, "shop.worktrees", "try");
  made.git("worktree", "add", "-q", "-b", "try", tree);
  made.git("worktree", "remove", "--force", tree);
  made.git("branch", "-D", "try");
  rmSync(tree, { recursive: true, force: true });
  made.commit("typed", { "a.ts": `${LINE}\n${OTHERS}` }, NOW - 5 * MINUTE);
  expect(await tiers(made, join(tree, "a.ts"), made.path, "a.ts")).not.toContain("proved");
});
