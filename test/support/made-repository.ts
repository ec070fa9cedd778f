/** A real git repository for a test, with commits at given times. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { homeAt, tempHome } from "./temp-home.ts";

export class MadeRepository {
  readonly root: string;
  readonly home: string;
  readonly #write: (name: string, content: string | Uint8Array) => string;

  constructor(name = "shop") {
    this.home = tempHome().path;
    this.root = join(this.home, name);
    mkdirSync(this.root);
    this.#write = homeAt(this.root).write;
    this.git("init", "-q", "-b", "main");
  }

  /** At `atMs` for commits and the record of HEAD. */
  gitAt(atMs: number, ...args: string[]): string {
    const date = `${Math.floor(atMs / 1000)} +0000`;
    return execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false", ...args], {
      cwd: this.root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: this.home,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
      },
    }).trim();
  }

  git(...args: string[]): string {
    return this.gitAt(Date.now(), ...args);
  }

  write(name: string, content: string | Uint8Array): void {
    this.#write(name, content);
  }

  remove(name: string): void {
    rmSync(join(this.root, name), { recursive: true, force: true });
  }

  /** Commits everything; returns the hash. */
  commit(message: string, atMs = Date.now()): string {
    this.gitAt(atMs, "add", "-A");
    this.gitAt(atMs, "commit", "-q", "--allow-empty", "-m", message);
    return this.git("rev-parse", "HEAD");
  }
}
