import { describe, expect, it } from "vitest";
import { clientOf } from "../../../test/support/made-agent.ts";
import { gitRepository } from "../../../test/support/git-repository.ts";
import { sessionChanges } from "./session-changes.ts";
import { changesOf, edited, HOUR, session, T0 } from "../../../test/support/made-changes.ts";

describe("where a session began", () => {
  it("is the commit that the agent recorded", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\n");
    const first = made.commit("first", {}, T0 - 2 * HOUR);
    made.write("a.txt", "two\n");
    made.commit("second", {}, T0 - HOUR);
    const { base, files } = await changesOf(made, session(made.path, { head: { commit: first } }));
    expect(base).toMatchObject({ commit: first, chosen: "recorded" });
    expect(base.sentence).toContain("which the session recorded at its start");
    expect(files).toMatchObject([{ path: "a.txt", state: "modified", added: 1, removed: 1 }]);
  });

  it("is HEAD at that time, where nothing was recorded", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\n");
    const first = made.commit("first", {}, T0 - HOUR);
    made.write("a.txt", "one\ntwo\n");
    made.commit("by the session", {}, T0 + HOUR / 2);
    const { base, files, end } = await changesOf(made, session(made.path));
    expect(base).toMatchObject({ commit: first, chosen: "recorded" });
    expect(end).toBeUndefined();
    expect(files).toMatchObject([{ path: "a.txt", added: 1, removed: 0 }]);
  });

  it("is nothing, for a session older than the first commit", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\ntwo\n");
    made.commit("first", {}, T0 + HOUR / 2);
    const { base, added } = await changesOf(made, session(made.path));
    expect(base.sentence).toContain("began before the first commit");
    expect(added).toBe(2);
  });

  it("is where the branch left main, after a rebase", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\n");
    made.commit("first", {}, T0 - 3 * HOUR);
    made.git("switch", "-q", "-c", "feature");
    made.write("b.txt", "feature\n");
    made.commit("feature", {}, T0 - HOUR);
    made.git("switch", "-q", "main");
    made.write("c.txt", "main\n");
    const main = made.commit("main", {}, T0 + 60_000);
    made.git("switch", "-q", "feature");
    made.git("rebase", "-q", "main");
    const { base, files } = await changesOf(made, session(made.path));
    expect(base).toMatchObject({ commit: main, chosen: "merge-base" });
    expect(base.sentence).toContain("where this branch left main");
    expect(files.map(({ path }) => path)).toEqual(["b.txt"]);
  });

  it("is the last commit if nothing is known, and says so", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\n");
    const head = made.commit("first");
    made.git("checkout", "-q", "--detach");
    made.write("a.txt", "two\n");
    const subject = { terminal: { id: "sess-abcd1234", cwd: made.path, isRunning: true } };
    const { base, files } = await sessionChanges({ sessions: clientOf(made.home).sessions, env: made.env }, subject);
    expect(base).toMatchObject({ commit: head, chosen: "head" });
    expect(base.sentence).toContain("It is not known where the session began");
    expect(files).toEqual([{ path: "a.txt", state: "modified", isBinary: false, added: 1, removed: 1 }]);
  });
});

describe("where an ended session ended", () => {
  it("is the working tree while nothing was committed since", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\n");
    made.commit("first", {}, T0 - HOUR);
    made.write("a.txt", "two\n");
    const { base, files } = await changesOf(made, session(made.path));
    expect(base.sentence).toContain("nothing was committed since the session ended");
    expect(files).toHaveLength(1);
  });

  it("is the next commit if that has its files, and later work is left out", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\n");
    made.commit("first", {}, T0 - HOUR);
    made.write("a.txt", "two\n");
    const taken = made.commit("the person commits it", {}, T0 + 2 * HOUR);
    made.write("later.txt", "later\n");
    made.commit("later", {}, T0 + 3 * HOUR);
    const { end, base, files } = await changesOf(made, session(made.path, edited("a.txt")));
    expect(end).toBe(taken);
    expect(base.sentence).toContain("the first commit after the session ended");
    expect(files.map(({ path }) => path)).toEqual(["a.txt"]);
  });

  it("is the last commit before its end otherwise", async () => {
    const made = gitRepository();
    made.write("a.txt", "one\n");
    made.commit("first", {}, T0 - HOUR);
    made.write("a.txt", "two\n");
    const own = made.commit("by the session", {}, T0 + HOUR / 2);
    made.write("other.txt", "other\n");
    made.commit("other", {}, T0 + 2 * HOUR);
    const { end, files } = await changesOf(made, session(made.path, edited("a.txt")));
    expect(end).toBe(own);
    expect(files.map(({ path }) => path)).toEqual(["a.txt"]);
  });
});
