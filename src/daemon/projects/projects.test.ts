import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { normalizedRemote, projectOf } from "../../protocol/project-matching.ts";
import { SessionStore } from "../store/store.ts";
import { Projects } from "./projects.ts";
import { workspaceOf } from "./workspaces.ts";

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "amux-projects-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const CONFIG = '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://user:secret@host.example/a/shop.git\n';

describe("where a directory belongs", () => {
  it("is the repository around it, with its remotes and without their secrets", () => {
    const home = directory();
    write(join(home, "shop/.git/config"), CONFIG);
    mkdirSync(join(home, "shop/src/deep"), { recursive: true });
    const shop = { workspace_root: join(home, "shop"), remotes: { origin: "https://host.example/a/shop.git" } };
    expect(workspaceOf(join(home, "shop/src/deep"))).toEqual(shop);
    expect(workspaceOf(home)).toEqual({});
    expect(workspaceOf(join(home, "shop/src/gone"))).toEqual(shop);
  });

  it("is the main repository for a worktree, and itself for a submodule", () => {
    const home = directory();
    const shop = join(home, "shop");
    write(join(shop, ".git/config"), CONFIG);
    write(join(shop, ".git/worktrees/fix/commondir"), "../..\n");
    write(join(home, "shop-fix/.git"), `gitdir: ${join(shop, ".git/worktrees/fix")}\n`);
    expect(workspaceOf(join(home, "shop-fix")).workspace_root).toBe(shop);
    write(join(shop, ".git/modules/lib/config"), CONFIG);
    write(join(shop, "lib/.git"), "gitdir: ../.git/modules/lib\n");
    expect(workspaceOf(join(shop, "lib")).workspace_root).toBe(join(shop, "lib"));
  });

  it("is the main workspace for a workspace of jj, colocated with git or not", () => {
    const home = directory();
    write(join(home, "shop/.jj/repo/store/git_target"), "git");
    write(join(home, "shop/.jj/repo/store/git/config"), CONFIG);
    write(join(home, "second/.jj/repo"), join(home, "shop/.jj/repo"));
    const expected = { workspace_root: join(home, "shop"), remotes: { origin: "https://host.example/a/shop.git" } };
    expect([workspaceOf(join(home, "shop")), workspaceOf(join(home, "second"))]).toEqual([expected, expected]);
    write(join(home, "both/.jj/repo/store/git_target"), "../../../.git");
    write(join(home, "both/.git/config"), CONFIG);
    expect(workspaceOf(join(home, "both")).remotes).toEqual(expected.remotes);
  });
});

describe("the project of a session", () => {
  const items = [
    { slug: "all", match: [{ path: "/w" }], sessions: [] },
    { slug: "shop", match: [{ path: "/w/shop/" }, { remote: "git@host.example:a/shop.git" }], sessions: [] },
    { slug: "home", match: [{ path: "/home/u", exact: true }], sessions: [] },
  ];

  it.each([
    [{ cwd: "/w/shop/api" }, "shop"],
    [{ cwd: "/w/shopping" }, "all"],
    [{ cwd: "/elsewhere", workspace_root: "/w/shop" }, "shop"],
    [{ cwd: "/elsewhere", remotes: { up: "ssh://git@host.example/a/shop" } }, "shop"],
    [{ cwd: "/w/x", remotes: { up: "https://host.example/a/shop" } }, "all"],
    [{ cwd: "/home/u" }, "home"],
    [{ cwd: "/home/u/x" }, undefined],
  ])("%j is in %s", (session, slug) => {
    expect(projectOf(session, items)?.slug).toBe(slug);
  });

  it("is found by a remote however it is written", () => {
    const ways = ["git@host.example:a/b.git", "ssh://git@host.example/a/b", "https://me:pw@Host.example/a/b/"];
    expect(new Set(ways.map(normalizedRemote))).toEqual(new Set(["host.example/a/b"]));
  });
});

describe("projects", () => {
  const live = { created_at: "2026-01-01T00:00:00Z", kind: "shell", command: ["sh"], alive: true };

  it("keep order and pins on disk, take in what lives, and keep it when it dies", () => {
    const path = join(directory(), "projects.json");
    const store = new SessionStore();
    let changes = 0;
    const projects = new Projects(path, store, () => changes++);
    const shop = { slug: "shop", match: [{ path: "/w/shop" }], sessions: ["sess-00000001"] };
    projects.replace({ items: [shop], pins: ["sess-00000002"] });
    store.upsert("runner", "sess-00000002", { ...live, cwd: "/w/shop/api" });
    store.upsert("runner", "sess-00000002", { alive: false });
    store.upsert("runner", "sess-00000003", { ...live, cwd: "/w/docs", workspace_root: "/w/docs" });
    const answer = projects.answer();
    expect(answer).toEqual({
      items: [{ ...shop, sessions: ["sess-00000001", "sess-00000002"] }],
      pins: ["sess-00000002"],
      discovered: [{ suggested_slug: "docs", path: "/w/docs", sessions: 1, alive: 1 }],
    });
    expect(changes).toBe(2);
    projects.replace({ items: answer.items, pins: answer.pins });
    expect(changes, "nothing is told when nothing changed").toBe(2);
    expect(new Projects(path, store, () => undefined).answer()).toEqual(answer);
    expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
  });

  it("are not overwritten when they cannot be understood", () => {
    const path = join(directory(), "projects.json");
    writeFileSync(path, '{"items":[{');
    expect(() => new Projects(path, new SessionStore(), () => undefined)).toThrow("is not understood");
    expect(readFileSync(path, "utf8")).toBe('{"items":[{');
  });
});
