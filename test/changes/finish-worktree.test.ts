import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitRepository, type GitRepository } from "../support/git-repository.ts";
import { addWorktree } from "../../src/changes/worktree/add-worktree.ts";
import { chooseWorktree, type ChosenWorktree, type SessionPlace } from "../../src/changes/worktree/choose-worktree.ts";
import { finishWorktree, type FinishWay } from "../../src/changes/worktree/finish-worktree.ts";
import { listWorktrees } from "../../src/changes/worktree/list-worktrees.ts";
import { lossesOf, removeWorktree } from "../../src/changes/worktree/remove-worktree.ts";

interface Prepared extends GitRepository {
  there: string;
  /** Commits a file in the worktree. */
  work(file: string, content: string): void;
  chosen(wanted?: string, sessions?: SessionPlace[]): Promise<ChosenWorktree>;
}

async function withWorktree(branch = "fix/tax"): Promise<Prepared> {
  const repository = gitRepository();
  repository.commit("first", { "a.txt": "a\n", ".gitignore": "ignored\n" });
  const { path: there } = await addWorktree(repository.path, { branch }, repository.env);
  return {
    ...repository,
    there,
    work(file, content) {
      writeFileSync(join(there, file), content);
      repository.gitIn(there, "add", "--all");
      repository.gitIn(there, "commit", "--quiet", "--message", `change ${file}`);
    },
    chosen: (wanted = branch, sessions = []) => chooseWorktree(repository.path, wanted, sessions, repository.vars),
  };
}

/** Everything that a failed command must leave as it was. */
function stateOf({ git, gitIn, there, path }: Prepared): unknown {
  return [git("for-each-ref"), ...[path, there].flatMap((place) => [gitIn(place, "status", "--short", "--branch")])];
}

describe("finishing a worktree", () => {
  it.each<[FinishWay, string[]]>([
    ["merge", ["Merge branch 'fix/tax'", "change c.txt", "change b.txt", "here", "first"]],
    ["rebase", ["change c.txt", "change b.txt", "here", "first"]],
    ["squash", ["Squashed commit of the following:", "here", "first"]],
  ])("by %s brings its commits into the branch it came from and removes it", async (way, log) => {
    const prepared = await withWorktree();
    const { git, path, there, work, commit, chosen } = prepared;
    work("b.txt", "b");
    work("c.txt", "c");
    commit("here", { "d.txt": "d" });
    writeFileSync(join(path, "untracked"), "stays");
    expect(await finishWorktree(await chosen(), { way })).toMatchObject({ into: "main", way, commits: 2 });
    const subjects = git("log", "--format=%s").split("\n");
    expect(way === "merge" ? new Set(subjects) : subjects).toEqual(way === "merge" ? new Set(log) : log);
    expect([existsSync(there), git("branch", "--list", "fix/tax")]).toEqual([false, ""]);
    expect(git("status", "--short")).toBe("?? untracked");
    expect(git("config", "--default", "", "--get", "branch.fix/tax.amuxFrom")).toBe("");
  });

  it.each<FinishWay>(["merge", "rebase", "squash"])("by %s leaves everything as it was on a conflict", async (way) => {
    const prepared = await withWorktree();
    const { work, commit, chosen } = prepared;
    work("b.txt", "b");
    work("a.txt", "theirs\n");
    commit("ours", { "a.txt": "ours\n" });
    const before = stateOf(prepared);
    await expect(finishWorktree(await chosen(), { way })).rejects.toThrow("fix/tax and main conflict in a.txt");
    expect(stateOf(prepared)).toEqual(before);
  });

  it("leaves everything as it was when a hook refuses the commit", async () => {
    const prepared = await withWorktree();
    const { work, commit, chosen, path } = prepared;
    work("b.txt", "b");
    commit("here", { "d.txt": "d" });
    for (const hook of ["pre-commit", "pre-merge-commit"])
      writeFileSync(join(path, ".git/hooks", hook), "#!/bin/sh\necho 'no, says the hook' >&2\nexit 1\n", {
        mode: 0o755,
      });
    const before = stateOf(prepared);
    for (const way of ["merge", "squash"] as const)
      await expect(finishWorktree(await chosen(), { way })).rejects.toThrow("no, says the hook");
    expect(stateOf(prepared)).toEqual(before);
  });

  it("is refused while it, or the checkout it goes to, has uncommitted changes", async () => {
    const { there, path, chosen, work } = await withWorktree();
    work("b.txt", "b");
    writeFileSync(join(there, "new"), "");
    await expect(finishWorktree(await chosen())).rejects.toThrow("has 1 uncommitted file. Commit or remove");
    rmSync(join(there, "new"));
    writeFileSync(join(path, "a.txt"), "changed");
    await expect(finishWorktree(await chosen())).rejects.toThrow("has 1 uncommitted file. Commit or stash");
  });

  it("is refused while its target is in the middle of a merge, which goes on", async () => {
    const { git, gitIn, path, chosen, work, commit } = await withWorktree();
    work("b.txt", "b");
    git("checkout", "--quiet", "-b", "other");
    commit("other", { "o.txt": "o" });
    git("checkout", "--quiet", "main");
    gitIn(path, "merge", "--quiet", "--no-commit", "--no-ff", "-s", "ours", "other");
    await expect(finishWorktree(await chosen())).rejects.toThrow("in the middle of a merge");
    expect(git("rev-parse", "MERGE_HEAD")).toBe(git("rev-parse", "other"));
  });

  it("needs a branch to go to, and a checkout of it", async () => {
    const { git, chosen, work } = await withWorktree();
    work("b.txt", "b");
    await expect(finishWorktree(await chosen(), { into: "nowhere" })).rejects.toThrow("There is no branch nowhere");
    await expect(finishWorktree(await chosen(), { into: "fix/tax" })).rejects.toThrow("into itself");
    git("checkout", "--quiet", "--detach");
    await expect(finishWorktree(await chosen())).rejects.toThrow("main is checked out nowhere");
    git("config", "--unset", "branch.fix/tax.amuxFrom");
    await expect(finishWorktree(await chosen())).rejects.toThrow("not recorded. Name it with --into");
  });

  it("says that a shallow clone knows no common commit", async () => {
    const prepared = await withWorktree();
    const { gitIn, home, path, vars, env, commit } = prepared;
    commit("second");
    gitIn(home, "clone", "--quiet", "--depth=1", `file://${path}`, "shallow");
    const shallow = join(home, "shallow");
    const { path: there } = await addWorktree(shallow, { branch: "b" }, env);
    gitIn(there, "checkout", "--quiet", "--orphan", "unrelated");
    gitIn(there, "commit", "--quiet", "--message", "unrelated");
    const chosen = await chooseWorktree(shallow, "unrelated", [], vars);
    await expect(finishWorktree(chosen, { into: "main" })).rejects.toThrow("This clone is shallow");
    expect((await listWorktrees(shallow)).isShallow).toBe(true);
  });
});

describe("removing a worktree", () => {
  it("is refused with counts while something would be lost; by force it says what", async () => {
    const { there, git, chosen, work } = await withWorktree();
    work("b.txt", "b");
    writeFileSync(join(there, "new"), "");
    writeFileSync(join(there, "ignored"), "");
    const said = "has 1 uncommitted file and 1 commit not in main.";
    await expect(removeWorktree(await chosen())).rejects.toThrow(said);
    expect(existsSync(join(there, "new"))).toBe(true);
    const head = git("rev-parse", "fix/tax");
    const removed = await removeWorktree(await chosen(), { force: true });
    expect(removed).toMatchObject({ head, isBranchDeleted: true, lost: { uncommitted: 1, unmerged: 1 } });
    git("branch", "restored", removed.head!);
  });

  it("tells commits that no remote has", async () => {
    const { git, gitIn, home, path, there, chosen, work } = await withWorktree();
    gitIn(home, "clone", "--quiet", "--bare", path, "remote.git");
    git("remote", "add", "origin", join(home, "remote.git"));
    work("b.txt", "b");
    gitIn(there, "push", "--quiet", "origin", "fix/tax");
    work("c.txt", "c");
    await expect(removeWorktree(await chosen())).rejects.toThrow("2 commits not in main (1 of them on no remote)");
  });

  it("takes one with nothing of its own, and one whose directory is gone", async () => {
    const first = await withWorktree();
    expect(await removeWorktree(await first.chosen())).toMatchObject({ isBranchDeleted: true });
    const second = await withWorktree();
    rmSync(second.there, { recursive: true });
    await expect(finishWorktree(await second.chosen())).rejects.toThrow("is gone");
    expect((await listWorktrees(second.path)).worktrees[1]).toMatchObject({ isGone: true });
    await removeWorktree(await second.chosen());
    expect(second.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  it("keeps a branch that amux did not create", async () => {
    const { git, gitIn, path, env, commit, vars } = gitRepository();
    commit("first");
    git("branch", "mine");
    const { path: there } = await addWorktree(path, { branch: "mine" }, env);
    writeFileSync(join(there, "b"), "b");
    gitIn(there, "add", ".");
    gitIn(there, "commit", "--quiet", "--message", "second");
    expect(await removeWorktree(await chooseWorktree(path, "mine", [], vars))).toMatchObject({
      isBranchDeleted: false,
    });
    expect(git("log", "--format=%s", "mine")).toBe("second\nfirst");
  });

  it("counts commits on a detached head that no branch has", async () => {
    const { there, gitIn, chosen } = await withWorktree();
    gitIn(there, "checkout", "--quiet", "--detach");
    gitIn(there, "commit", "--quiet", "--allow-empty", "--message", "lost");
    await expect(removeWorktree(await chosen(there))).rejects.toThrow("1 commit in no other branch");
  });

  it("is refused with submodules, which may hold commits of their own", async () => {
    const inner = gitRepository("inner");
    inner.commit("first", { a: "a" });
    const { git, gitIn, there, chosen } = await withWorktree();
    gitIn(there, "submodule", "--quiet", "add", inner.path, "inner");
    gitIn(there, "commit", "--quiet", "--message", "submodule");
    git("merge", "--quiet", "fix/tax");
    await expect(removeWorktree(await chosen())).rejects.toThrow("1 submodule with a checkout");
    await removeWorktree(await chosen(), { force: true });
    expect(existsSync(there)).toBe(false);
  });

  it("is refused while a session runs in it, for the main checkout, when locked, and for what is none", async () => {
    const { git, there, path, chosen } = await withWorktree();
    const session = { ref: "1234", name: "claude-1", cwd: join(there, "src") };
    await expect(chosen("fix/tax", [session])).rejects.toThrow(
      "in use by claude-1 (1234). End it first: amux kill 1234",
    );
    await expect(chosen("main")).rejects.toThrow("is the repository's main checkout");
    await expect(chosen(path)).rejects.toThrow("is the repository's main checkout");
    await expect(chosen("")).rejects.toThrow("is empty");
    await expect(chosen("nothing")).rejects.toThrow('There is no worktree "nothing"');
    git("worktree", "lock", "--reason", "on a stick", there);
    await expect(chosen()).rejects.toThrow("is locked (on a stick)");
  });
});

describe("a user's settings and other work do not lose anything", () => {
  it("hidden untracked files are counted, each of them", async () => {
    const { git, there, chosen, path } = await withWorktree();
    git("config", "status.showUntrackedFiles", "no");
    mkdirSync(join(there, "new"));
    for (const name of ["a", "b", "c"]) writeFileSync(join(there, "new", name), "");
    await expect(removeWorktree(await chosen())).rejects.toThrow("3 uncommitted files");
    await expect(finishWorktree(await chosen())).rejects.toThrow("3 uncommitted files");
    expect((await listWorktrees(path)).worktrees[1]).toMatchObject({ uncommitted: 3 });
  });

  it.each<[FinishWay, string]>([
    ["merge", "--no-commit --no-ff"],
    ["merge", "--squash"],
    ["rebase", "--squash"],
    ["squash", "--no-ff"],
    ["squash", "--commit"],
  ])("finishing by %s with mergeOptions %s leaves no work outside of the branch", async (way, options) => {
    const prepared = await withWorktree();
    const { git, chosen, commit, work } = prepared;
    git("config", "branch.main.mergeOptions", options);
    work("b.txt", "b");
    commit("here");
    const before = stateOf(prepared);
    const finished = await finishWorktree(await chosen(), { way }).catch((error: Error) => error);
    if (finished instanceof Error) expect(stateOf(prepared), finished.message).toEqual(before);
    else expect([git("ls-tree", "--name-only", "main", "b.txt"), git("status", "--short")]).toEqual(["b.txt", ""]);
  });

  it.each(["merge", "squash"] as const)("a commit made while it was finished by %s stays", async (way) => {
    const { git, there, path, chosen, work } = await withWorktree();
    work("b.txt", "b");
    const late = `#!/bin/sh\nunset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE\ncd ${there} && git commit --quiet --allow-empty --message late\n`;
    writeFileSync(join(path, ".git/hooks/post-merge"), late, { mode: 0o755 });
    await expect(finishWorktree(await chosen(), { way })).rejects.toThrow("fix/tax got new commits just now");
    expect([git("log", "-1", "--format=%s", "fix/tax"), existsSync(there)]).toEqual(["late", true]);
  });

  it("a rebase is refused if it would drop what was changed in a merge", async () => {
    const prepared = await withWorktree();
    const { gitIn, there, chosen, commit, work } = prepared;
    work("b.txt", "b");
    commit("here", { "c.txt": "c" });
    gitIn(there, "merge", "--quiet", "--no-commit", "main");
    work("only-in-the-merge.txt", "x");
    const before = stateOf(prepared);
    await expect(finishWorktree(await chosen(), { way: "rebase" })).rejects.toThrow("has merge commits");
    expect(stateOf(prepared)).toEqual(before);
  });

  it("changes that a stopped rebase has put aside are not removed unasked", async () => {
    const { gitIn, there, chosen, work } = await withWorktree();
    work("b.txt", "b");
    writeFileSync(join(there, "a.txt"), "put aside\n");
    gitIn(there, "-c", "sequence.editor=sed -i.old s/^pick/edit/", "rebase", "--quiet", "-i", "--autostash", "HEAD~1");
    expect(gitIn(there, "status", "--short"), "it looks clean").toBe("");
    await expect(removeWorktree(await chosen(there))).rejects.toThrow("a rebase that is not finished");
    await expect(finishWorktree(await chosen(there))).rejects.toThrow("a rebase is under way");
    expect(existsSync(there)).toBe(true);
    await removeWorktree(await chosen(there), { force: true });
    expect(existsSync(there)).toBe(false);
  });
});

it("ignored files that are only in a worktree are not lost unasked", async () => {
  const { path, there, commit, gitIn, chosen, work } = await withWorktree();
  work(".gitignore", ".env*\n*.db\ndata/\nnode_modules/\n.claude/local\n*.log\n");
  for (const place of [path, there]) writeFileSync(join(place, ".env"), "KEY=1\n");
  for (const directory of ["data", "node_modules", ".claude"]) mkdirSync(join(there, directory));
  for (const file of ["node_modules/a", ".claude/local", "npm.log"]) writeFileSync(join(there, file), "made anew");
  commit("here");
  expect((await lossesOf(await chosen())).ignored, "made anew, or the same as in the main checkout").toEqual([]);
  for (const file of ["dev.db", "data/a", ".env"]) writeFileSync(join(there, file), "only here");
  const before = gitIn(path, "rev-parse", "HEAD");
  const words = "3 ignored files that are only there (.env, data/, dev.db)";
  await expect(finishWorktree(await chosen())).rejects.toThrow(words);
  await expect(removeWorktree(await chosen())).rejects.toThrow(words);
  expect([existsSync(join(there, "dev.db")), gitIn(path, "rev-parse", "HEAD")]).toEqual([true, before]);
  gitIn(there, "update-index", "--skip-worktree", "a.txt");
  writeFileSync(join(there, "a.txt"), "git does not see this\n");
  expect((await lossesOf(await chosen())).ignored).toContain("a.txt");
  gitIn(there, "update-index", "--no-skip-worktree", "a.txt");
  gitIn(there, "checkout", "--quiet", "a.txt");
  const { lost } = await finishWorktree(await chosen(), { force: true });
  expect([lost.ignored, existsSync(there)]).toEqual([[".env", "data/", "dev.db"], false]);
});

describe("the list of worktrees", () => {
  it("has ahead, behind, uncommitted and merged, and tells a new branch from a merged one", async () => {
    const { git, there, path, work, commit, env } = await withWorktree();
    const listed = async (): Promise<unknown> => (await listWorktrees(there)).worktrees[1];
    expect(await listed()).toMatchObject({ branch: "fix/tax", from: "main", ahead: 0, behind: 0, isMerged: false });
    work("b.txt", "b");
    commit("here");
    commit("and here");
    writeFileSync(join(there, "new"), "");
    expect(await listed()).toMatchObject({ ahead: 1, behind: 2, uncommitted: 1, isMerged: false, isGone: false });
    git("merge", "--quiet", "fix/tax");
    expect(await listed()).toMatchObject({ ahead: 0, isMerged: true });
    await addWorktree(path, { branch: "other" }, env);
    const { root, worktrees } = await listWorktrees(there);
    expect([root, worktrees.map(({ branch, isMain }) => [branch, isMain])]).toEqual([
      path,
      [
        ["main", true],
        ["fix/tax", false],
        ["other", false],
      ],
    ]);
  });
});
