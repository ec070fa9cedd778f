import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { workspaceOf } from "../../client/workspace.ts";
import { normalizedRemote, projectOf } from "../../protocol/project-matching.ts";
import { MAX_PROJECT_SESSIONS, type ProjectsAnswer } from "../../protocol/projects.ts";
import { SessionStore } from "../store/store.ts";
import { Projects } from "./projects.ts";

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

describe("the repository of a directory", () => {
  it("is the one around it, with its remotes and without their secrets", () => {
    const home = directory();
    write(join(home, "shop/.git/config"), CONFIG);
    mkdirSync(join(home, "shop/src/deep"), { recursive: true });
    const shop = { workspace_root: join(home, "shop"), remotes: { origin: "https://host.example/a/shop.git" } };
    expect(workspaceOf(join(home, "shop/src/deep"))).toEqual(shop);
    expect(workspaceOf(home)).toEqual({});
    expect(workspaceOf(join(home, "shop/src/gone"))).toEqual(shop);
  });

  it("is the main one for a worktree, and itself for a submodule", () => {
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

  it("is the same for all worktrees of a repository without a main one, and of a submodule", () => {
    const home = directory();
    const worktree = (path: string, repository: string): string => {
      const own = join(repository, "worktrees", basename(path));
      write(join(own, "commondir"), "../..\n");
      write(join(home, path, ".git"), `gitdir: ${own}\n`);
      return workspaceOf(join(home, path)).workspace_root!;
    };
    const bare = join(home, "shop.git");
    write(join(bare, "config"), CONFIG);
    expect([worktree("one", bare), worktree("two", bare)]).toEqual([bare, bare]);
    const hidden = join(home, "docs/.bare");
    write(join(hidden, "config"), CONFIG);
    expect([worktree("docs/one", hidden), worktree("docs/two", hidden)]).toEqual([
      join(home, "docs"),
      join(home, "docs"),
    ]);
    const module = join(home, "app/.git/modules/lib");
    write(join(module, "config"), `[core]\n\tworktree = ../../../lib\n`);
    expect(worktree("lib-fix", module)).toBe(join(home, "app/lib"));
  });

  it("is the main workspace for a jj workspace, colocated with git or not", () => {
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
    { slug: "docs", match: [{ remote: "https://host.example/a/docs" }], sessions: [] },
  ];

  it.each([
    [{ cwd: "/w/shop/api" }, "shop"],
    [{ cwd: "/w/shopping" }, "all"],
    [{ cwd: "/elsewhere", workspace_root: "/w/shop" }, "shop"],
    [{ cwd: "/elsewhere", remotes: { up: "ssh://git@host.example/a/shop" } }, "shop"],
    [{ cwd: "/w/x", remotes: { up: "https://host.example/a/shop" } }, "all"],
    [{ cwd: "/elsewhere", remotes: { up: "https://host.example/x/y", origin: "https://host.example/a/docs" } }, "docs"],
    [{ cwd: "/elsewhere", remotes: { a: "https://host.example/a/docs", b: "git@host.example:a/shop" } }, "shop"],
    [{ cwd: "/elsewhere", remotes: {} }, undefined],
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

  /** With their events and problems. */
  function projectsIn(
    path: string,
    store = new SessionStore(),
  ): { projects: Projects; changes: ProjectsAnswer[]; problems: string[] } {
    const changes: ProjectsAnswer[] = [];
    const problems: string[] = [];
    const projects: Projects = new Projects(path, store, {
      onChange: () => changes.push(projects.answer()),
      onProblem: (what) => problems.push(what),
    });
    return { projects, changes, problems };
  }

  it("keep order and pins on disk, add running sessions, and keep them when they end", () => {
    const path = join(directory(), "projects.json");
    const store = new SessionStore();
    const { projects, changes } = projectsIn(path, store);
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
    expect(changes.length).toBe(2);
    projects.replace({ items: answer.items, pins: answer.pins });
    expect(changes.length, "nothing is sent when nothing changed").toBe(2);
    expect(projectsIn(path, store).projects.answer()).toEqual(answer);
    expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
  });

  it("report directories that appear, fill and empty, and nothing else", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const store = new SessionStore();
    const { changes } = projectsIn(join(directory(), "projects.json"), store);
    const places = (): unknown => changes.at(-1)?.discovered.map(({ path, alive }) => [path, alive]);
    for (const id of ["sess-00000001", "sess-00000002"]) store.upsert("runner", id, { ...live, cwd: "/w/docs" });
    vi.advanceTimersByTime(5000);
    expect([changes.length, places()], "once for both").toEqual([1, [["/w/docs", 2]]]);
    store.upsert("runner", "sess-00000001", { status: { label: "x", working: true }, shell_title: "y" });
    store.upsert("runner", "sess-00000001", { alive: false });
    store.upsert("runner", "sess-00000001", { alive: true });
    vi.advanceTimersByTime(5000);
    expect(changes.length, "as it was").toBe(1);
    store.remove("sess-00000001");
    vi.advanceTimersByTime(5000);
    expect([changes.length, places()]).toEqual([2, [["/w/docs", 1]]]);
  });

  it("accept a session even if its position cannot be saved", () => {
    const home = directory();
    const store = new SessionStore();
    const path = join(home, "mux", "projects.json");
    mkdirSync(join(home, "mux"));
    const { projects, problems } = projectsIn(path, store);
    projects.replace({ items: [{ slug: "shop", match: [{ path: "/w" }], sessions: [] }], pins: [] });
    rmSync(join(home, "mux"), { recursive: true });
    writeFileSync(join(home, "mux"), "no directory");
    store.upsert("runner", "sess-00000001", { ...live, cwd: "/w" });
    expect(store.get("sess-00000001")?.alive).toBe(true);
    expect([projects.answer().items[0]?.sessions, problems]).toEqual([["sess-00000001"], ["saving projects"]]);
    expect(() => projects.replace({ items: [], pins: [] }), "the user sees the error").toThrow("ENOTDIR");
    expect(projects.answer().items.length).toBe(1);
  });

  it("hold as many sessions as can be read again; removed ones make room", () => {
    const path = join(directory(), "projects.json");
    const store = new SessionStore();
    const { projects } = projectsIn(path, store);
    store.upsert("runner", "sess-00000001", { ...live, cwd: "/w", alive: false });
    const gone = Array.from({ length: MAX_PROJECT_SESSIONS - 1 }, (_, index) => `sess-gone${index}`);
    const sessions = ["sess-00000001", ...gone];
    projects.replace({ items: [{ slug: "shop", match: [{ path: "/w" }], sessions }], pins: [] });
    store.upsert("runner", "sess-00000002", { ...live, cwd: "/w" });
    const again = projectsIn(path, store);
    expect(again.projects.answer().items[0]?.sessions).toEqual(["sess-00000001", "sess-00000002"]);
    expect(again.problems).toEqual([]);
  });

  it.each(["", '{"items":[{', "null", "\0\0\0", '{"items":5}'])(
    "are kept under another name when they are %j",
    (text) => {
      const home = directory();
      const path = join(home, "projects.json");
      writeFileSync(path, text);
      const { projects, problems } = projectsIn(path);
      expect([projects.answer().items, problems]).toEqual([[], ["projects"]]);
      projects.replace({ items: [], pins: ["sess-00000001"] });
      const aside = readdirSync(home).find((name) => name.startsWith("projects.json.damaged-"))!;
      expect(readFileSync(join(home, aside), "utf8"), "nothing of it is lost").toBe(text);
    },
  );
});
