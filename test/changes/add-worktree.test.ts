import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitRepository, type GitRepository } from "../support/git-repository.ts";
import { TrustFile } from "../../src/status/trust.ts";
import { addWorktree } from "../../src/changes/worktree/add-worktree.ts";
import { setUpOf } from "../../src/changes/worktree/set-up-of.ts";

const SETTINGS = ".agent-mux/worktree.json";

function withSettings(settings: unknown): GitRepository {
  const repository = gitRepository();
  repository.commit("first", { [SETTINGS]: JSON.stringify(settings), ".gitignore": ".env*\nconfig/local.json\n" });
  return repository;
}

const worktreesOf = ({ home }: GitRepository): string => join(home, "shop.worktrees");

describe("a new worktree", () => {
  it("many worktrees of one repository requested at once are all added, each with its own name", async () => {
    const { path, env, home, commit } = gitRepository();
    commit("first");
    const asked = Array.from({ length: 6 }, (_, at) => addWorktree(path, at < 3 ? {} : { branch: `b${at}` }, env));
    const places = (await Promise.all(asked)).map((added) => added.cwd);
    const names = ["amux-1", "amux-2", "amux-3", "b3", "b4", "b5"];
    expect(places.sort()).toEqual(names.map((name) => join(home, "shop.worktrees", name)));
  });

  it("starts at the current head and remembers the branch it came from", async () => {
    const { path, env, git, commit } = gitRepository();
    const head = commit("first", { "src/a.ts": "a" });
    const added = await addWorktree(join(path, "src"), { branch: "fix/tax" }, env);
    expect(added).toMatchObject({ branch: "fix/tax", from: "main", notes: [], copied: [] });
    expect(added.cwd).toBe(join(added.path, "src"));
    expect(git("rev-parse", "fix/tax")).toBe(head);
    expect(git("config", "branch.fix/tax.amuxFrom")).toBe("main");
  });

  it("goes below the directory that the user's setting names", async () => {
    const { path, env, home, commit } = gitRepository();
    commit("first");
    mkdirSync(join(home, ".agent-mux"));
    writeFileSync(join(home, ".agent-mux/config.json"), JSON.stringify({ worktrees: "~/trees" }));
    expect((await addWorktree(path, { branch: "b" }, env)).path).toBe(join(home, "trees/shop/b"));
  });

  it("continues a branch that exists, and says so", async () => {
    const { path, env, git, commit } = gitRepository();
    commit("first");
    git("branch", "old");
    commit("second");
    const { notes, path: there } = await addWorktree(path, { branch: "old" }, env);
    expect(notes).toEqual(["The branch old existed, so the worktree continues it."]);
    expect(execFileSync("git", ["log", "--format=%s"], { cwd: there }).toString().trim()).toBe("first");
    await expect(addWorktree(path, { branch: "main" }, env)).rejects.toThrow(/already/);
    await expect(addWorktree(path, { branch: "old", base: "HEAD" }, env)).rejects.toThrow("exists already");
  });

  it("says that a worktree of a detached head has no branch to return to", async () => {
    const { path, env, git, commit } = gitRepository();
    commit("first");
    git("checkout", "--quiet", "--detach");
    const { notes, from } = await addWorktree(path, { branch: "b" }, env);
    expect([from, notes[0]]).toEqual([undefined, "It came from no branch, so amux worktree finish b needs --into."]);
  });

  it("says that its submodules are empty", async () => {
    const inner = gitRepository("inner");
    inner.commit("first", { a: "a" });
    const { path, env, git, commit } = gitRepository();
    git("submodule", "--quiet", "add", inner.path, "inner");
    commit("with a submodule");
    const { notes } = await addWorktree(path, {}, env);
    expect(notes).toEqual(["Its submodules are empty. To fetch them: git submodule update --init"]);
  });

  it("starts in the worktree itself when the directory is not in the commit", async () => {
    const { path, env, commit } = gitRepository();
    commit("first");
    mkdirSync(join(path, "new"));
    const { cwd, path: there, notes } = await addWorktree(join(path, "new"), {}, env);
    expect(cwd).toBe(there);
    expect(notes[0]).toContain("new is not in the commit");
  });

  it("works from a shallow clone", async () => {
    const { path, env, home, gitIn, commit } = gitRepository();
    commit("first");
    commit("second");
    gitIn(home, "clone", "--quiet", "--depth=1", `file://${path}`, "shallow");
    expect(existsSync((await addWorktree(join(home, "shallow"), {}, env)).path)).toBe(true);
  });
});

describe("a worktree is refused with a sentence", () => {
  it("outside of a repository, in a bare one, and in a directory that is gone", async () => {
    const { path, env, home, gitIn, commit } = gitRepository();
    await expect(addWorktree(path, {}, env)).rejects.toThrow("has no commit yet");
    commit("first");
    await expect(addWorktree(home, {}, env)).rejects.toThrow("is not in a git repository");
    gitIn(home, "clone", "--quiet", "--bare", path, "bare.git");
    await expect(addWorktree(join(home, "bare.git"), {}, env)).rejects.toThrow("is in a bare repository");
    await expect(addWorktree(join(home, "gone"), {}, env)).rejects.toThrow("does not exist");
    await expect(addWorktree(join(path, ".git"), {}, env)).rejects.toThrow("inside git's own directory");
  });

  it("for names that no branch can have", async () => {
    const repository = gitRepository();
    repository.commit("first");
    // @{-1} would be this one.
    repository.git("checkout", "--quiet", "-b", "before");
    repository.git("checkout", "--quiet", "main");
    for (const branch of ["--force", "-b", "a b", "a..b", "a~1", ".lock", "x.lock", "@{-1}", "refs/../x"])
      await expect(addWorktree(repository.path, { branch }, repository.env)).rejects.toThrow("not a valid branch name");
    expect(existsSync(worktreesOf(repository))).toBe(false);
  });

  it("where something exists already", async () => {
    const repository = gitRepository();
    repository.commit("first");
    const { home, path, env, git } = repository;
    mkdirSync(join(home, "shop.worktrees/b"), { recursive: true });
    await expect(addWorktree(path, { branch: "b" }, env)).rejects.toThrow("exists already");
    expect(git("branch", "--list", "b")).toBe("");
  });
});

describe("files that the repository names", () => {
  it("are copied with their mode, from the checkout that was asked for", async () => {
    const { path, env, write } = withSettings({ copy: [".env", "config/local.json"] });
    execFileSync("chmod", ["600", write(".env", "KEY=1")]);
    write("config/local.json", "{}");
    const added = await addWorktree(path, {}, env);
    expect(added).toMatchObject({ copied: [".env", "config/local.json"], notes: [] });
    expect(readFileSync(join(added.path, ".env"), "utf8")).toBe("KEY=1");
    expect(statSync(join(added.path, ".env")).mode & 0o777).toBe(0o600);
  });

  it("are not copied from or to another place than the checkouts", async () => {
    const cases = [
      ["/etc/hostname", "is not relative to the repository"],
      ["~/.ssh/id_rsa", "is not relative to the repository"],
      ["../secret", "leads out of the repository"],
      ["config/../../secret", "leads out of the repository"],
      [".git/config", "belongs to git"],
      ["sub/.GIT/hooks/post-checkout", "belongs to git"],
      [".env", "does not exist"],
      ["", "is not a file name"],
      [".", "is a directory"],
      [".agent-mux", "is a directory"],
      [SETTINGS, "is in the branch already"],
    ];
    const { path, env, home } = withSettings({ copy: cases.map(([name]) => name) });
    writeFileSync(join(home, "secret"), "secret");
    const { copied, notes } = await addWorktree(path, {}, env);
    expect([copied, notes]).toEqual([[], cases.map(([name, why]) => `${name} was not copied: it ${why}.`)]);
  });

  it("are copied neither from nor through a link, nor from a pipe, nor when they are huge", async () => {
    const { path, env, home, write } = withSettings({ copy: [".env", ".envs/a", ".env.pipe", ".env.huge"] });
    mkdirSync(join(home, "outside"));
    writeFileSync(join(home, "outside/a"), "secret");
    symlinkSync(join(home, "outside/a"), join(path, ".env"));
    symlinkSync(join(home, "outside"), join(path, ".envs"));
    execFileSync("mkfifo", [join(path, ".env.pipe")]);
    truncateSync(write(".env.huge", ""), 1024 ** 3);
    const { copied, notes } = await addWorktree(path, {}, env);
    expect(copied).toEqual([]);
    expect(notes).toEqual([
      ".env was not copied: it leads through a link.",
      ".envs/a was not copied: it leads through a link.",
      ".env.pipe was not copied: it is not a regular file.",
      ".env.huge was not copied: it is larger than 16 MB.",
    ]);
  });

  it("are not written through a link that the branch holds", async () => {
    const { path, env, home, git, write } = withSettings({ copy: ["config/local.json"] });
    mkdirSync(join(home, "outside"));
    symlinkSync(join(home, "outside"), join(path, "config"));
    git("add", "--force", "config");
    git("commit", "--quiet", "--message", "a link");
    git("branch", "planted");
    git("reset", "--quiet", "--hard", "HEAD~1");
    write("config/local.json", "secret");
    const { notes } = await addWorktree(path, { branch: "planted" }, env);
    expect(notes[1]).toBe("config/local.json was not copied: it leads through a link in the branch.");
    expect(existsSync(join(home, "outside/local.json"))).toBe(false);
  });

  it.each([
    ["[]", "must hold a JSON object"],
    ["{", "cannot be used"],
    ['{"copy":".env"}', "must name at most 100 files"],
    ['{"setup":["npm","ci"]}', "must hold one command"],
    ['{"run":"x"}', 'has "run"'],
  ])("settings that cannot be used are named, and the worktree is made: %s", async (text, why) => {
    const { path, env, commit } = gitRepository();
    commit("first", { [SETTINGS]: text });
    const { notes, path: there } = await addWorktree(path, {}, env);
    expect(notes[0]).toContain(why);
    expect(existsSync(join(there, SETTINGS))).toBe(true);
  });

  it("settings behind a link are not used", async () => {
    const { path, env, home, git } = gitRepository();
    mkdirSync(join(home, "outside"));
    writeFileSync(join(home, "outside/worktree.json"), '{"copy":[".env"]}');
    symlinkSync(join(home, "outside"), join(path, ".agent-mux"));
    git("add", ".agent-mux");
    git("commit", "--quiet", "--message", "a link");
    expect((await addWorktree(path, {}, env)).notes[0]).toContain("leads through a link, so it is not used");
  });
});

describe("the set-up command", () => {
  const trustIn = async ({ home, path }: GitRepository): Promise<void> => {
    new TrustFile(join(home, ".agent-mux")).trust((await setUpOf(path))!, new Date());
  };

  it("is not run before the user trusts the repository, and the note says how to", async () => {
    const repository = withSettings({ setup: "touch made" });
    const before = await addWorktree(repository.path, {}, repository.env);
    expect(before.setup).toBeUndefined();
    expect(before.notes[0]).toContain(`is not trusted. See what it does, then: amux trust ${before.path}`);
    await trustIn(repository);
    const after = await addWorktree(repository.path, {}, repository.env);
    expect([after.setup, after.notes]).toEqual(["touch made", []]);
  });

  it("is trusted no more once the command or a script that it names has changed", async () => {
    const repository = withSettings({ setup: "sh scripts/prepare.sh && touch made" });
    repository.commit("script", { "scripts/prepare.sh": "true" });
    await trustIn(repository);
    expect((await addWorktree(repository.path, {}, repository.env)).setup).toBeDefined();
    repository.commit("other", { "other.sh": "false" });
    expect((await addWorktree(repository.path, {}, repository.env)).setup).toBeDefined();
    repository.commit("evil", { "scripts/prepare.sh": "rm -rf /" });
    const changed = await addWorktree(repository.path, {}, repository.env);
    expect(changed.setup).toBeUndefined();
    expect(changed.notes[0]).toContain("has changed since you trusted it");
  });

  it.each([
    "cd tools && ./prepare.sh",
    "cd tools/deep; sh ../prepare.sh",
    "d=tools && . $d/../tools/prepare.sh",
    "sh linked",
  ])("%s is not run once its script has changed", async (setup) => {
    const repository = withSettings({ setup });
    const { path, env, git, commit } = repository;
    mkdirSync(join(path, "tools/deep"), { recursive: true });
    symlinkSync("tools/prepare.sh", join(path, "linked"));
    git("add", "linked");
    commit("script", { "tools/prepare.sh": "true", "tools/deep/a": "" });
    await trustIn(repository).catch((error: unknown) => expect(String(error)).toContain("cannot be trusted"));
    commit("evil", { "tools/prepare.sh": "rm -rf /" });
    expect((await addWorktree(path, {}, env)).setup).toBeUndefined();
  });

  it("of another branch is not covered by trust in this one's", async () => {
    const repository = withSettings({ setup: "touch made" });
    await trustIn(repository);
    repository.git("checkout", "--quiet", "-b", "stranger");
    repository.commit("planted", { [SETTINGS]: JSON.stringify({ setup: "touch evil" }) });
    repository.git("checkout", "--quiet", "main");
    const added = await addWorktree(repository.path, { branch: "stranger" }, repository.env);
    expect(added.setup).toBeUndefined();
  });
});
