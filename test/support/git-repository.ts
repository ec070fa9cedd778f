/** A real git repository in a test's home. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempHome } from "./temp-home.ts";

export interface GitRepository {
  home: string;
  path: string;
  /** For git and for amux: nothing of the real user's settings. */
  vars: Record<string, string>;
  env: { home: string; platform: NodeJS.Platform; vars: Record<string, string> };
  git(...args: string[]): string;
  gitIn(directory: string, ...args: string[]): string;
  write(name: string, content: string | Uint8Array): string;
  /** Writes the files and commits everything, at a time in milliseconds. */
  commit(message: string, files?: Record<string, string>, at?: number): string;
}

/** A commit starts no second git that tidies up, and waits for no disk. */
const CONFIG = `[user]
	name = a
	email = a@b.c
[init]
	defaultBranch = main
[protocol "file"]
	allow = always
[maintenance]
	auto = false
[core]
	fsync = none
`;

export function gitRepository(name = "shop"): GitRepository {
  const home = realpathSync(tempHome().path);
  const path = join(home, name);
  mkdirSync(path);
  const vars = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    AMUX_HOME: join(home, ".agent-mux"),
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
    GIT_CONFIG_NOSYSTEM: "1",
  };
  writeFileSync(join(home, ".gitconfig"), CONFIG);
  const gitIn = (directory: string, ...args: string[]): string =>
    execFileSync("git", args, { cwd: directory, env: vars, stdio: ["ignore", "pipe", "pipe"] })
      .toString()
      .trimEnd();
  const git = (...args: string[]): string => gitIn(path, ...args);
  const write = (file: string, content: string | Uint8Array): string => {
    const place = join(path, file);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
    return place;
  };
  const commit = (message: string, files: Record<string, string> = {}, at = Date.now()): string => {
    for (const [file, content] of Object.entries(files)) write(file, content);
    git("add", "--all");
    const date = `${Math.floor(at / 1000)} +0000`;
    const env = { ...vars, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    execFileSync("git", ["commit", "--quiet", "--allow-empty", "--message", message], {
      cwd: path,
      env,
      stdio: "pipe",
    });
    const log = readFileSync(join(path, ".git/logs/HEAD"), "utf8");
    return log.trimEnd().split("\n").at(-1)!.split(" ")[1]!;
  };
  makeGitDirectory(join(path, ".git"));
  return { home, path, vars, env: { home, platform: process.platform, vars }, git, gitIn, write, commit };
}

/** As `git init` makes it, without the hooks it copies: tests make hundreds. */
function makeGitDirectory(place: string): void {
  for (const name of ["objects", "refs/heads", "hooks", "info"]) mkdirSync(join(place, name), { recursive: true });
  writeFileSync(join(place, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(
    join(place, "config"),
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
  );
}
