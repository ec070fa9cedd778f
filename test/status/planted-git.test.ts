import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { commitsBetween, readGitInfo, readPullRequest } from "../../src/status/git-info.ts";
import { untrustedGit } from "../../src/status/untrusted-git.ts";
import { readChanges, readPullRequestDiff } from "../../src/status/pull-request.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";

/** Every documented git setting (git-config, gitattributes, githooks) that names a program. */
const KEYS = [
  "alias.status",
  "browser.x.cmd",
  "core.alternateRefsCommand",
  "core.askPass",
  "core.editor",
  "core.fsmonitor",
  "core.gitProxy",
  "core.pager",
  "core.sshCommand",
  "credential.helper",
  "credential.https://example.com.helper",
  "diff.external",
  "diff.planted.command",
  "diff.planted.textconv",
  "difftool.x.cmd",
  "filter.planted.clean",
  "filter.planted.smudge",
  "filter.long.process",
  "gpg.openpgp.program",
  "gpg.program",
  "gpg.ssh.defaultKeyCommand",
  "gpg.ssh.program",
  "gpg.x509.program",
  "guitool.x.cmd",
  "imap.tunnel",
  "interactive.diffFilter",
  "man.x.cmd",
  "merge.planted.driver",
  "mergetool.x.cmd",
  "pager.diff",
  "pager.log",
  "pager.status",
  "remote.origin.receivepack",
  "remote.origin.uploadpack",
  "remote.origin.vcs",
  "sendemail.smtpserver",
  "sequence.editor",
  "submodule.sub.update",
  "tar.planted.command",
  "trailer.x.cmd",
  "trailer.x.command",
  "uploadpack.packObjectsHook",
];

let home: TempHome;
let repository: string;
let marks: string;

/** Programs that ran, by the setting that named them. */
const ran = (): string[] => readdirSync(marks).sort();
const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: repository, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

function program(key: string): string {
  const name = key.replace(/[^a-zA-Z.-]/g, "_");
  const path = home.write(`programs/${name}`, `#!/bin/sh\ntouch '${join(marks, name)}'\ncat\n`);
  chmodSync(path, 0o755);
  return path;
}

function commit(message: string): void {
  git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", message);
}

/** A repository in which every such setting names a program. */
beforeEach(() => {
  home = tempHome();
  repository = join(home.path, "repository");
  marks = join(home.path, "marks");
  mkdirSync(repository);
  mkdirSync(marks);
  git("init", "-q", "-b", "main");
  writeFileSync(join(repository, "a.txt"), "one\n");
  writeFileSync(join(repository, "b.txt"), "one\n");
  git("add", ".");
  commit("first");
  const body = git("cat-file", "commit", "HEAD").replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n\n");
  const signed = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
    cwd: repository,
    encoding: "utf8",
    input: body,
  }).trim();
  git("reset", "-q", signed);
  const nested = join(repository, "nested");
  mkdirSync(nested);
  const inNested = (...args: string[]): string => execFileSync("git", args, { cwd: nested, encoding: "utf8" });
  inNested("init", "-q");
  writeFileSync(join(nested, "c.txt"), "one\n");
  inNested("add", ".");
  inNested("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "nested");
  git("-c", "advice.addEmbeddedRepo=false", "add", "nested");
  commit("with a repository inside");
  inNested("config", "core.fsmonitor", program("nested.core.fsmonitor"));
  writeFileSync(
    join(repository, ".gitattributes"),
    "a.txt filter=planted diff=planted merge=planted\nb.txt filter=long\n",
  );
  for (const name of ["post-index-change", "reference-transaction", "post-checkout"]) {
    const path = join(repository, ".git/hooks", name);
    writeFileSync(path, `#!/bin/sh\ntouch '${join(marks, `hook.${name}`)}'\n`);
    chmodSync(path, 0o755);
  }
  git("config", "remote.origin.url", "ext::sh -c 'touch marked'");
  git("config", "log.showSignature", "true");
  git("config", "filter.long.required", "true");
  git("config", "protocol.ext.allow", "always");
  for (const key of KEYS) git("config", key, `${key.startsWith("alias.") ? "!" : ""}${program(key)}`);
  writeFileSync(join(repository, "a.txt"), "two\n");
  writeFileSync(join(repository, "b.txt"), "two\n");
  for (const mark of ran()) rmSync(join(marks, mark));
});

describe("looking at a repository that names programs", () => {
  it("runs none of them, whatever key names it", async () => {
    const info = await readGitInfo(repository);
    expect(info).toMatchObject({ branch: "main", dirty: true, remote: "origin" });
    const first = git("rev-list", "--max-parents=0", "HEAD").trim();
    for (const mark of ran()) rmSync(join(marks, mark));
    expect(await commitsBetween(repository, first, info!.head)).toHaveLength(1);
    writeFileSync(join(repository, "new.txt"), "new\n");
    expect((await readChanges(repository))!.join("\n")).toMatch(/^\+two$[^]*^untracked: new\.txt$/m);
    await readPullRequest(repository);
    await readPullRequestDiff(repository);
    expect(ran()).toEqual([]);
  });

  it("would show it if one ran: the user's own git runs many", () => {
    // The planted filters do not speak git's protocol; a required one would stop git early.
    const lenient = ["-c", "filter.long.required=false"];
    for (const args of [["status"], ["log", "-1", "HEAD~1"], ["diff"]])
      spawnSync("git", [...lenient, ...args], { cwd: repository });
    expect(ran()).toEqual(
      expect.arrayContaining(["core.fsmonitor", "nested.core.fsmonitor", "filter.planted.clean", "gpg.program"]),
    );
  });

  it("fetches no missing object, even if a remote's address is a command", async () => {
    git("config", "extensions.partialClone", "origin");
    git("config", "remote.origin.promisor", "true");
    git("config", "core.repositoryFormatVersion", "1");
    const tree = git("rev-parse", "HEAD^{tree}").trim();
    rmSync(join(repository, ".git/objects", tree.slice(0, 2), tree.slice(2)));
    for (const mark of ran()) rmSync(join(marks, mark));
    await readChanges(repository);
    await readGitInfo(repository);
    expect(readdirSync(repository)).not.toContain("marked");
    expect(ran()).toEqual([]);
  });

  it("ends when a setting or a reference is a file without end, before it takes all memory", async () => {
    expect(await untrustedGit(repository, "-c", "alias.limit=!ulimit -d", "limit")).toBe("1048576\n");
    git("config", "core.attributesFile", "/dev/zero");
    expect(await readGitInfo(repository)).toBeUndefined();
    git("config", "--unset", "core.attributesFile");
    symlinkSync("/dev/zero", join(repository, ".git/refs/heads/endless"));
    writeFileSync(join(repository, ".git/HEAD"), "ref: refs/heads/endless\n");
    expect(await readGitInfo(repository)).toBeUndefined();
  });

  it("survives a configuration with more programs than a command line holds", async () => {
    const drivers = Array.from({ length: 40_000 }, (_, n) => `[filter "planted${n}"]\n\tclean = touch marked\n`);
    appendFileSync(join(repository, ".git/config"), drivers.join(""));
    expect(await readGitInfo(repository)).toBeUndefined();
    expect(await readChanges(repository)).toBeUndefined();
    expect(ran()).toEqual([]);
  });

  it("runs no program that an included file names, or a worktree's own configuration", async () => {
    writeFileSync(join(repository, ".git/more"), `[filter "planted"]\n\tclean = ${program("included.clean")}\n`);
    writeFileSync(join(repository, ".git/other"), `[core]\n\tfsmonitor = ${program("included.fsmonitor")}\n`);
    git("config", "include.path", "more");
    git("config", "includeIf.onbranch:main.path", "other");
    git("config", "extensions.worktreeConfig", "true");
    git("config", "--worktree", "diff.planted.textconv", program("worktree.textconv"));
    git("config", "diff.submodule", "diff");
    for (const mark of ran()) rmSync(join(marks, mark));
    expect(await readGitInfo(repository)).toMatchObject({ dirty: true });
    expect((await readChanges(repository))!.join("\n")).toContain("+two");
    expect(ran()).toEqual([]);
  });

  it("starts no program of the directory, even if the user's PATH is relative", async () => {
    const path = process.env["PATH"];
    for (const name of ["git", "gh", "sh"]) {
      writeFileSync(join(repository, name), `#!/bin/sh\ntouch '${join(marks, `path.${name}`)}'\n`);
      chmodSync(join(repository, name), 0o755);
    }
    process.env["PATH"] = `.:./:${path}:`;
    try {
      await readGitInfo(repository);
      await readPullRequest(repository);
      await readChanges(repository);
    } finally {
      process.env["PATH"] = path;
    }
    expect(ran()).toEqual([]);
  });

  it("passes on no secret", async () => {
    process.env["AMUX_ARCHIVE"] = "postgres://u:secret@127.0.0.1/x";
    try {
      const said = await untrustedGit(repository, "-c", "alias.env=!env", "env");
      expect(said).toContain("GIT_OPTIONAL_LOCKS=0");
      expect(said).not.toContain("secret");
    } finally {
      delete process.env["AMUX_ARCHIVE"];
    }
  });

  it("does not take a directory in a repository for its own repository", async () => {
    const bare = join(repository, "bare.git");
    execFileSync("git", ["init", "-q", "--bare", bare]);
    execFileSync("git", ["config", "core.fsmonitor", program("bare.core.fsmonitor")], { cwd: bare });
    await readGitInfo(bare);
    expect(ran()).toEqual([]);
  });
});
