import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientOf, madeAgent, type MadeSession } from "../../../test/support/made-agent.ts";
import type { SessionChanges } from "../../core/changes.ts";
import { gitRepository, type GitRepository } from "../../../test/support/git-repository.ts";
import { compare } from "./compare.ts";
import { recordLook } from "./looks.ts";
import { repositoryAt } from "./repository.ts";
import { sessionChanges } from "./session-changes.ts";
import type { ChangesOptions } from "./subject.ts";
import { changesOf, edited, HOUR, session, T0 } from "../../../test/support/made-changes.ts";

describe("files", () => {
  it("renamed, untracked, deleted, binary, empty, linked and huge ones each come with their state", async () => {
    const made = gitRepository();
    const long = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");
    made.write("moved.txt", `${long}\n`);
    made.write("gone.txt", "gone\n");
    made.write("picture.bin", new Uint8Array([0, 1, 2, 0]));
    made.write("linked.txt", "a file\n");
    made.write("kept.txt", "kept\n");
    made.commit("first", {}, T0 - HOUR);
    renameSync(join(made.path, "moved.txt"), join(made.path, "renamed.txt"));
    made.write("renamed.txt", `${long}\nand one more\n`);
    rmSync(join(made.path, "gone.txt"));
    made.write("picture.bin", new Uint8Array([0, 9, 9, 9]));
    rmSync(join(made.path, "linked.txt"));
    symlinkSync("kept.txt", join(made.path, "linked.txt"));
    made.write("new.txt", "new\n");
    made.write("empty.txt", "");
    made.write("huge.log", "x".repeat(5 * 1024 * 1024));
    made.write('strange "name"\n.txt', "strange\n");
    const { files, added, removed } = await changesOf(made, session(made.path));
    const facts = files.map(({ path, oldPath, state, added: plus, removed: minus }) => [
      path,
      oldPath,
      state,
      plus,
      minus,
    ]);
    expect(facts).toEqual([
      ["empty.txt", undefined, "untracked", 0, 0],
      ["gone.txt", undefined, "deleted", 0, 1],
      ["huge.log", undefined, "untracked", 0, 0],
      ["linked.txt", undefined, "typechange", 1, 1],
      ["new.txt", undefined, "untracked", 1, 0],
      ["picture.bin", undefined, "modified", 0, 0],
      ["renamed.txt", "moved.txt", "renamed", 1, 0],
      ['strange "name"\n.txt', undefined, "untracked", 1, 0],
    ]);
    expect([added, removed]).toEqual([4, 2]);
    const summary = await changesOf(made, session(made.path), { hunks: false });
    expect(summary.files).toEqual(files.map(({ hunks: _, ...file }) => file));
    const of = (path: string) => files.find((file) => file.path === path)!;
    expect(of("picture.bin")).toMatchObject({ isBinary: true, omitted: "Not text: its lines are not shown." });
    expect(of("huge.log").omitted).toContain("Larger than 4 MB");
    expect(of("renamed.txt").hunks).toMatchObject([
      { oldStart: 28, newStart: 28, lines: [{}, {}, {}, { kind: "added", text: "and one more", newLine: 31 }] },
    ]);
  });

  it("leaves the repository's index as it was", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\n");
    made.commit("first", {}, T0 - HOUR);
    made.write("new.txt", "new\n");
    expect((await changesOf(made, session(made.path))).files).toHaveLength(1);
    expect(made.git("status", "--porcelain")).toBe("?? new.txt");
  });

  it("a file that is now a directory is deleted, and what is in it is new", async () => {
    const made = gitRepository();
    made.write("place", "a file\n");
    made.commit("first", {}, T0 - HOUR);
    rmSync(join(made.path, "place"));
    made.write("place/inside.txt", "inside\n");
    const { files } = await changesOf(made, session(made.path));
    expect(files.map(({ path, state }) => [path, state])).toEqual([
      ["place", "deleted"],
      ["place/inside.txt", "untracked"],
    ]);
  });

  it("with a conflict are shown as they are", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\n");
    made.commit("first", {}, T0 - HOUR);
    made.git("switch", "-q", "-c", "other");
    made.write("a.txt", "other\n");
    made.commit("other", {}, T0 - HOUR);
    made.git("switch", "-q", "main");
    made.write("a.txt", "main\n");
    made.commit("main", {}, T0 - HOUR);
    expect(() => made.git("merge", "other")).toThrow();
    const { files } = await changesOf(made, session(made.path));
    expect(files).toMatchObject([{ path: "a.txt", state: "modified" }]);
    expect(files[0]!.hunks![0]!.lines.map(({ text }) => text)).toContain(">>>>>>> other");
  });

  it("of one path come with lines, followed through their rename", async () => {
    const made = gitRepository();
    const long = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");
    made.write("moved.txt", `${long}\n`);
    made.write("other.txt", "other\n");
    made.commit("first", {}, T0 - HOUR);
    renameSync(join(made.path, "moved.txt"), join(made.path, "renamed.txt"));
    made.write("other.txt", "changed\n");
    const { files } = await changesOf(made, session(made.path), { paths: ["renamed.txt"] });
    expect(files).toMatchObject([{ path: "renamed.txt", oldPath: "moved.txt", state: "renamed", hunks: [] }]);
    expect((await changesOf(made, session(made.path), { paths: ["nothing"] })).files).toEqual([]);
  });
});

it("generated files that are too long to show are not compared line by line", async () => {
  const made = gitRepository();
  made.commit("first", { "a.txt": "one\n", "old.txt": `${"kept\n".repeat(20)}` }, T0 - HOUR);
  made.write("a.txt", "two\n");
  renameSync(join(made.path, "old.txt"), join(made.path, "renamed.txt"));
  for (const name of ["gen1.txt", "gen2.txt", "gen3.txt"]) made.write(name, "x\n".repeat(60_000));
  for (const name of ["long1.txt", "long2.txt"]) made.write(name, "x\n".repeat(40_000));
  const line = "const total = sumOfAllPrices(basket);";
  made.write("long3.txt", `${line}\n${"x\n".repeat(39_999)}`);
  const repository = await repositoryAt(made.path);
  const { files } = await compare(repository, { base: repository.head!, end: "working-tree", paths: [] });
  const none = "Left out: the answer is long. Ask for this file alone.";
  expect(files.map(({ path, added, hunks, omitted }) => [path, added, hunks?.length, omitted])).toEqual([
    ["a.txt", 1, 1, undefined],
    ...["gen1.txt", "gen2.txt", "gen3.txt"].map((name) => [name, 60_000, undefined, "60000 lines: too many to show."]),
    ["long1.txt", 40_000, 1, undefined],
    ["long2.txt", 40_000, 1, undefined],
    ["long3.txt", 40_000, undefined, none],
    ["renamed.txt", 0, 0, undefined],
  ]);
  const answer = await changesOf(made, session(made.path, edited("a.txt")));
  expect([answer.truncated, answer.added]).toEqual(["The lines of 4 files are left out.", 300_001]);
  const own = await changesOf(made, session(made.path, edited("long3.txt", line)), { mine: true });
  expect([own.truncated, own.files.map(({ path }) => path)]).toEqual([undefined, ["long3.txt"]]);
  const generated = await changesOf(made, session(made.path, edited("gen1.txt")), { mine: true });
  expect(generated.files).toMatchObject([{ path: "gen1.txt", omitted: "60000 lines: too many to show." }]);
  recordLook(made.env, "made:one", [{ path: "long3.txt", hunks: [] }]);
  const unseen = await changesOf(made, session(made.path), { sinceLook: true, paths: ["long3.txt"] });
  expect(unseen.files).toHaveLength(1);
});

describe("filters", () => {
  it("show what is staged, and what is committed", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\n");
    made.commit("first", {}, T0 - HOUR);
    made.write("committed.txt", "committed\n");
    made.commit("by the session", {}, T0 + HOUR / 2);
    made.write("staged.txt", "staged\n");
    made.git("add", "staged.txt");
    made.write("a.txt", "changed\n");
    const names = async (options: ChangesOptions) =>
      (await changesOf(made, session(made.path), options)).files.map(({ path }) => path);
    expect(await names({})).toEqual(["a.txt", "committed.txt", "staged.txt"]);
    expect(await names({ staged: true })).toEqual(["staged.txt"]);
    expect(await names({ committed: true })).toEqual(["committed.txt"]);
    await expect(names({ staged: true, committed: true })).rejects.toThrow("not both at once");
  });

  it("leave out hunks that were looked at, also after they moved", async () => {
    const made = gitRepository();
    const long = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    made.write("a.txt", `${long.join("\n")}\n`);
    made.commit("first", {}, T0 - HOUR);
    made.write("a.txt", `${long.with(20, "changed").join("\n")}\n`);
    const first = await changesOf(made, session(made.path));
    expect(first.lookedAt).toBeUndefined();
    const seen = first.files.map(({ path, hunks = [] }) => ({ path, hunks: hunks.map(({ id }) => id!) }));
    recordLook(made.env, "made:one", seen, new Date(T0));
    made.write("a.txt", `new first line\n${long.with(20, "changed").join("\n")}\n`);
    const { files, added, lookedAt } = await changesOf(made, session(made.path), { sinceLook: true });
    expect(lookedAt).toBe(new Date(T0).toISOString());
    expect(added).toBe(1);
    expect(files[0]!.hunks).toMatchObject([{ newStart: 1 }]);
  });

  it("do not bring back what was seen before, once the new hunks are seen too", async () => {
    const made = gitRepository();
    const long = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    made.commit("first", { "a.txt": `${long.join("\n")}\n` }, T0 - HOUR);
    const look = async (): Promise<(number[] | undefined)[]> => {
      const { files } = await changesOf(made, session(made.path), { sinceLook: true });
      const seen = files.map(({ path, hunks = [] }) => ({ path, hunks: hunks.map(({ id }) => id!) }));
      recordLook(made.env, "made:one", seen);
      return files.map(({ hunks }) => hunks?.map(({ newStart }) => newStart));
    };
    made.write("a.txt", `${long.with(4, "first change").join("\n")}\n`);
    expect(await look()).toEqual([[2]]);
    made.write("a.txt", `${long.with(4, "first change").with(24, "second change").join("\n")}\n`);
    expect(await look()).toEqual([[22]]);
    expect(await look()).toEqual([]);
  });
});

describe("sessions that share a checkout", () => {
  const LINES = Array.from({ length: 40 }, (_, at) => `this is the line with number ${at}`);

  function edit(id: string, at: number, text: string, head: MadeSession["head"]): MadeSession {
    const input = { file_path: "a.txt", old_string: LINES[at]!, new_string: text };
    const timestamp = new Date(T0 + 60_000);
    return {
      id,
      head: { createdMs: T0, updatedMs: T0 + HOUR, ...head },
      messages: [
        { role: "user", content: "do it", timestamp },
        {
          role: "assistant",
          content: "",
          timestamp,
          toolCalls: [{ toolCallId: `call-${id}`, toolName: "Edit", input }],
        },
        {
          role: "tool",
          content: "done",
          timestamp,
          toolResult: { toolCallId: `call-${id}`, toolName: "Edit", output: "done" },
        },
      ],
    };
  }

  it("are told apart by their edits, and a hand's work is nobody's", async () => {
    const made = gitRepository();
    made.commit("first", { "a.txt": `${LINES.join("\n")}\n` }, T0 - HOUR);
    const [one, two, hand] = [
      "const first = sessionNumber(1);",
      "const second = sessionNumber(2);",
      "typed by a person",
    ];
    made.write("a.txt", `${LINES.with(3, one).with(20, two).with(36, hand).join("\n")}\n`);
    const head = { cwd: made.path };
    const sessions = [edit("one", 3, one, head), edit("two", 20, two, head)];
    const client = clientOf(made.home, madeAgent("made", sessions));
    const ask = (options: ChangesOptions) =>
      sessionChanges(
        { sessions: client.sessions, env: made.env },
        { session: { agent: "made", sessionId: "two" } },
        options,
      );
    const { files } = await ask({ hunks: true });
    expect(
      files[0]!.hunks!.map(({ origin }) => [origin.tier, origin.sessionId, origin.messageIndex, origin.toolCallId]),
    ).toEqual([
      ["proved", "one", 1, "call-one"],
      ["proved", "two", 1, "call-two"],
      ["none", undefined, undefined, undefined],
    ]);
    const own = await ask({ mine: true });
    expect([own.added, own.removed, own.files]).toEqual([1, 1, [expect.not.objectContaining({ hunks: [] })]]);
    made.commit("all of it", {}, T0 + 2 * HOUR);
    made.commit("later", { "b.txt": "b\n" }, T0 + 3 * HOUR);
    const committed = await ask({ hunks: true, mine: true });
    expect(committed.end).toBeDefined();
    expect(committed.files[0]!.hunks).toMatchObject([{ newStart: 18, origin: { tier: "proved", sessionId: "two" } }]);
  });

  it("only a session with a conversation has changes of its own", async () => {
    const made = gitRepository();
    const subject = { terminal: { id: "sess-abcd1234", cwd: made.path, isRunning: true } };
    const sources = { sessions: clientOf(made.home).sessions, env: made.env };
    await expect(sessionChanges(sources, subject, { mine: true })).rejects.toThrow("has no conversation");
  });
});

describe("a place without a comparison says why", () => {
  const refusal = (made: GitRepository, cwd: string) => changesOf(made, session(cwd)).catch(String);

  it("no repository, a bare one, a directory that is gone, no directory", async () => {
    const made = gitRepository();
    mkdirSync(join(made.home, "plain"));
    made.git("init", "-q", "--bare", join(made.home, "bare.git"));
    expect(await refusal(made, join(made.home, "plain"))).toContain("is not in a git repository");
    expect(await refusal(made, join(made.home, "bare.git"))).toContain("bare repository");
    expect(await refusal(made, join(made.path, ".git"))).toContain("which has no files to compare");
    expect(await refusal(made, join(made.home, "gone"))).toContain("does not exist any more");
    expect(await refusal(made, "")).toContain("recorded no directory");
  });

  it("a repository without a commit is compared with nothing", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\n");
    const { base, files } = await changesOf(made, session(made.path));
    expect(base.sentence).toContain("no commit yet");
    expect(files).toMatchObject([{ path: "a.txt", state: "untracked", added: 1 }]);
  });

  it("a shallow clone and submodules are named in the notes", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\n");
    made.commit("first", {}, T0 - HOUR);
    made.write("a.txt", "two\n");
    made.write(".gitmodules", "");
    made.commit("second", {}, T0 + HOUR / 2);
    const clone = join(made.home, "clone");
    made.git("clone", "-q", "--depth=1", `file://${made.path}`, clone);
    const { notes, base } = await changesOf(made, session(clone));
    expect(notes).toEqual([
      "This is a shallow clone: older history is not known here.",
      "Submodules are not looked into.",
    ]);
    expect(base.chosen).toBe("recorded");
  });
});

it("stops reading sessions and asking git when nobody waits any more", async () => {
  const made = gitRepository();
  made.commit("first", { "a.txt": "one\n" }, T0 - HOUR);
  made.write("a.txt", "two\n");
  const { sessions } = clientOf(made.home, madeAgent("made", [session(made.path, edited("a.txt"))]));
  const ask = (more: Partial<Parameters<typeof sessionChanges>[0]>): Promise<SessionChanges> => {
    const subject = { session: { agent: "made", sessionId: "one" } };
    return sessionChanges({ sessions, env: made.env, ...more }, subject, { hunks: true });
  };
  const onProgress = ({ stage }: { stage: string }): void => {
    if (stage === "sessions") throw new Error("given up");
  };
  await expect(ask({ onProgress })).rejects.toThrow("given up");
  await expect(ask({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" });
});

it("an external diff program and a text converter of the repository never run", async () => {
  const made = gitRepository();
  made.write("a.txt", "one\n");
  made.write(".gitattributes", "*.txt diff=evil filter=evil\n");
  made.commit("first", {}, T0 - HOUR);
  const evil = `touch ${join(made.home, "ran")}; cat`;
  for (const key of ["diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "core.fsmonitor"])
    made.git("config", key, evil);
  made.write("a.txt", "two\n");
  made.write("b.txt", "new\n");
  const { files } = await changesOf(made, session(made.path));
  expect(files.map(({ path }) => path)).toEqual(["a.txt", "b.txt"]);
  expect(existsSync(join(made.home, "ran"))).toBe(false);
});
