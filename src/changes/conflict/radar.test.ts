import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gitRepository, type GitRepository } from "../../../test/support/git-repository.ts";
import { CONFLICT_WINDOW_MS } from "../../core/edit-conflict.ts";
import type { SessionMessage } from "../../core/session.ts";
import { addWorktree } from "../worktree/add-worktree.ts";
import { ConflictRadar, type WatchedSession } from "./radar.ts";

const NOW = Date.parse("2026-11-17T12:00:00Z");
const MINUTE = 60_000;

interface Made {
  cwd: string;
  messages: SessionMessage[];
}

/** Conversations by id, and how often each was read. */
class Machine {
  readonly made = new Map<string, Made>();
  readonly reads: string[] = [];
  readonly versions = new Map<string, number>();
  readonly radar = new ConflictRadar(async (_agent, id) => {
    this.reads.push(id);
    const { cwd, messages } = this.made.get(id)!;
    return Promise.resolve({ cwd, updatedMs: NOW, transcripts: [messages] });
  });

  edits(id: string, cwd: string, input: unknown, { minutesAgo = 1, ...more }: Record<string, unknown> = {}): void {
    const made = this.made.get(id) ?? { cwd, messages: [] };
    this.made.set(id, made);
    this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
    const toolCallId = `${id}-${made.messages.length}`;
    const timestamp = new Date(NOW - (minutesAgo as number) * MINUTE);
    const { inherited = false, isError = false } = more as { inherited?: boolean; isError?: boolean };
    const common = { content: "", timestamp, inherited };
    made.messages.push({ ...common, role: "assistant", toolCalls: [{ toolCallId, toolName: "Edit", input }] });
    if (more["isPending"] === true) return;
    made.messages.push({ ...common, role: "tool", toolResult: { toolCallId, toolName: "Edit", output: "", isError } });
  }

  watched(...ids: string[]): WatchedSession[] {
    return ids.map((id) => ({ id: `sess-${id}`, agent: "made", sessionId: id, version: this.versions.get(id) ?? 0 }));
  }

  look(...ids: string[]): ReturnType<ConflictRadar["look"]> {
    return this.radar.look(this.watched(...ids), NOW);
  }
}

function changed(): GitRepository {
  const repository = gitRepository();
  repository.commit("first", { "src/a.ts": "one\n", "src/b.ts": "two\n" });
  repository.write("src/a.ts", "changed\n");
  repository.write("src/b.ts", "changed\n");
  return repository;
}

const replace = (path: string, before: string, after: string): object => ({
  file_path: path,
  old_string: before,
  new_string: after,
});

it("tells sessions that edit the same lines from those that edit the same file, and names the later one first", async () => {
  const { path } = changed();
  const machine = new Machine();
  machine.edits("x", path, replace(join(path, "src/a.ts"), "const tax = 1;", "const tax = 2;"), { minutesAgo: 9 });
  machine.edits("y", path, replace("src/a.ts", "const tax = 2;", "const tax = 3;"), { minutesAgo: 5 });
  machine.edits("z", path, replace("src/a.ts", "something else", "quite different"), { minutesAgo: 3 });
  const found = await machine.look("x", "y", "z");
  expect(found.map(({ sessions, level }) => [...sessions, level])).toEqual([
    ["sess-y", "sess-x", "lines"],
    ["sess-z", "sess-x", "file"],
    ["sess-z", "sess-y", "file"],
  ]);
  expect(found[0]).toMatchObject({ files: ["src/a.ts"], count: 1, since: NOW - 5 * MINUTE, latest: NOW - 5 * MINUTE });
  expect(found[0]!.id).toMatch(/^conflict-[0-9a-f]{16}$/);
});

it("reads patches of several files, and takes a written file for all its lines", async () => {
  const { path } = changed();
  const machine = new Machine();
  const patch =
    "*** Begin Patch\n*** Update File: src/a.ts\n-const tax = 1;\n+const tax = 2;\n*** Update File: src/b.ts\n+more text\n*** End Patch";
  machine.edits("x", path, { input: patch });
  machine.edits("y", path, { path: "src/b.ts", content: "all of it" });
  expect(await machine.look("x", "y")).toMatchObject([{ level: "lines", files: ["src/b.ts"] }]);
});

it("unchanged context in an edit is not a touched line", async () => {
  const { path } = changed();
  const machine = new Machine();
  machine.edits(
    "x",
    path,
    replace("src/a.ts", "function total() {\n  first old line", "function total() {\n  first new line"),
  );
  machine.edits(
    "y",
    path,
    replace("src/a.ts", "function total() {\n  last old line", "function total() {\n  last new line"),
  );
  expect(await machine.look("x", "y")).toMatchObject([{ level: "file" }]);
});

it("the same path in two worktrees of a repository is a note about the merge", async () => {
  const { path, env } = changed();
  const { path: there } = await addWorktree(path, {}, env);
  const machine = new Machine();
  machine.edits("x", path, replace("src/a.ts", "const tax = 1;", "const tax = 2;"));
  machine.edits("y", there, replace(join(there, "src/a.ts"), "const tax = 1;", "const tax = 3;"));
  expect(await machine.look("x", "y")).toMatchObject([{ level: "merge", files: ["src/a.ts"] }]);
});

it("a conflict is over when the file is committed or taken back", async () => {
  const { path, commit, git } = changed();
  const machine = new Machine();
  machine.edits("x", path, replace("src/a.ts", "const tax = 1;", "const tax = 2;"));
  machine.edits("y", path, replace("src/a.ts", "const tax = 2;", "const tax = 3;"));
  machine.edits("x", path, replace("src/b.ts", "const tax = 1;", "const tax = 2;"));
  machine.edits("y", path, replace("src/b.ts", "const vat = 1;", "const vat = 2;"));
  expect(await machine.look("x", "y")).toMatchObject([{ level: "lines" }]);
  git("checkout", "--quiet", "src/a.ts");
  expect(await machine.look("x", "y")).toMatchObject([{ level: "file", files: ["src/b.ts"] }]);
  commit("all");
  expect(await machine.look("x", "y")).toEqual([]);
});

it("old, failed, pending and inherited edits, other files and a session's second terminal are no conflict", async () => {
  const { path } = changed();
  const machine = new Machine();
  const edit = replace("src/a.ts", "const tax = 1;", "const tax = 2;");
  machine.edits("x", path, edit);
  machine.edits("old", path, edit, { minutesAgo: CONFLICT_WINDOW_MS / MINUTE + 1 });
  machine.edits("failed", path, edit, { isError: true });
  machine.edits("asks", path, edit, { isPending: true });
  machine.edits("forked", path, edit, { inherited: true });
  machine.edits("other", path, replace("src/b.ts", "const tax = 1;", "const tax = 2;"));
  machine.edits("read", path, { file_path: "src/a.ts" });
  expect(await machine.look("x", "old", "failed", "asks", "forked", "other", "read")).toEqual([]);
  const [first] = machine.watched("x");
  expect(await machine.radar.look([first!, { ...first!, id: "sess-2" }], NOW)).toEqual([]);
});

it("works outside of a repository, where nothing is ever committed", async () => {
  const { home } = gitRepository();
  const machine = new Machine();
  machine.edits("x", home, replace("notes.md", "first version", "second version"));
  machine.edits("y", home, replace(join(home, "notes.md"), "other words", "quite others"));
  expect(await machine.look("x", "y")).toMatchObject([{ level: "file", files: [join(home, "notes.md")] }]);
});

it("a conflict in a linked directory ends too, and worktrees behind a link are found", async () => {
  const { path, env, home, commit } = changed();
  const { path: there } = await addWorktree(path, {}, env);
  const link = join(home, "link");
  symlinkSync(path, link);
  const machine = new Machine();
  machine.edits("x", link, replace("src/a.ts", "const tax = 1;", "const tax = 2;"));
  machine.edits("y", path, replace(join(link, "src/a.ts"), "const tax = 2;", "const tax = 3;"));
  machine.edits("z", there, replace("src/a.ts", "const tax = 1;", "const tax = 4;"));
  expect((await machine.look("x", "y", "z")).map(({ level }) => level)).toEqual(["lines", "merge", "merge"]);
  commit("all");
  expect(await machine.look("x", "y")).toEqual([]);
});

it("a directory that git did not know at first is asked about again", async () => {
  const { home, git } = gitRepository();
  const place = join(home, "later");
  mkdirSync(place);
  writeFileSync(join(place, "a.ts"), "const tax = 3;\n");
  const machine = new Machine();
  machine.edits("x", place, replace("a.ts", "const tax = 1;", "const tax = 2;"));
  machine.edits("y", place, replace("a.ts", "const tax = 2;", "const tax = 3;"));
  expect(await machine.look("x", "y")).toMatchObject([{ files: [join(place, "a.ts")] }]);
  git("init", "--quiet", place);
  expect(await machine.look("x", "y")).toMatchObject([{ files: ["a.ts"] }]);
});

it("reads only conversations that changed, and forgets those that ended", async () => {
  const { path } = changed();
  const machine = new Machine();
  for (const id of ["x", "y", "z"]) machine.edits(id, path, replace("src/a.ts", `only of ${id}`, `other of ${id}`));
  await machine.look("x", "y", "z");
  await machine.look("x", "y", "z");
  expect(machine.reads).toEqual(["x", "y", "z"]);
  machine.edits("y", path, replace("src/b.ts", "only of y", "other of y"));
  await machine.look("x", "y", "z");
  expect(machine.reads.slice(3)).toEqual(["y"]);
  await machine.look("x", "y");
  await machine.look("x", "y", "z");
  expect(machine.reads.slice(4)).toEqual(["z"]);
});

it("many sessions in one file are found without a question to git for each pair", async () => {
  const { path } = changed();
  const machine = new Machine();
  const ids = Array.from({ length: 60 }, (_, at) => `s${at}`);
  for (const id of ids) machine.edits(id, path, replace("src/a.ts", `only of ${id}`, `other of ${id}`));
  // As many as anybody resolves; with a process each, this would take minutes.
  expect(await machine.look(...ids)).toHaveLength(100);
});
