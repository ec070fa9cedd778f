import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentMuxError } from "../../core/errors.ts";
import type { AgentEnv } from "../adapter.ts";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { ReadNotes } from "../read-notes.ts";
import { madeHome } from "../../../test/support/agents/made-home.ts";
import { answer, at, entry, header, lines, user } from "../../../test/support/agents/made-trees.ts";
import { listedIds, openSession, type OpenedSession } from "../../../test/support/agents/reading.ts";
import { checkRecorded } from "../../../test/support/agents/recorded-trees.ts";
import pi from "./index.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const SESSIONS = ".pi/agent/sessions";
const BUCKET = `${SESSIONS}/--home-user-dev-shop-cli--`;
const { history } = pi;

function session(id: string, ...more: Record<string, unknown>[]): string {
  return lines([header(id), user("a", null, 1, `prompt of ${id}`), answer("b", "a", 2, "done", 100), ...more]);
}

function ids(env: AgentEnv, cwd?: string): string[] {
  return listedIds(history, env, new ReadNotes(), cwd).sort();
}

const open = (env: AgentEnv, sessionId: string): OpenedSession => openSession(history, env, sessionId);

const START = "2026-11-15T10-00-00-000Z";

describe("recorded sessions", () => {
  checkRecorded(history, FIXTURES);
});

conformance(pi, { home: join(FIXTURES, "home"), sessions: 21 });

describe("locations", () => {
  it("has a folder for each working directory, flat for a directory of the user's choice", () => {
    const plain: AgentEnv = { home: "/home/user", platform: "linux", vars: {} };
    expect(history.sessionDir(plain, "/home/user/dev/café: 店")).toBe(
      `/home/user/${SESSIONS}/--home-user-dev-café- 店--`,
    );
    const chosen = { ...plain, vars: { PI_CODING_AGENT_SESSION_DIR: "~/elsewhere" } };
    expect(history.sessionDir(chosen, "/home/user/dev")).toBe("/home/user/elsewhere");
    expect(history.roots(chosen)).toEqual(["/home/user/elsewhere", `/home/user/${SESSIONS}`, "/home/user/.pi/agent"]);
  });

  it("are moved as a whole by PI_CODING_AGENT_DIR", () => {
    const files = {
      [`${BUCKET}/${START}_left.jsonl`]: session("left"),
      [`other/sessions/${START}_moved.jsonl`]: session("moved"),
    };
    expect(ids(madeHome(files, { PI_CODING_AGENT_DIR: "$HOME/other" }))).toEqual(["moved"]);
  });

  it("include the directories named by PI_CODING_AGENT_SESSION_DIR and by the settings", () => {
    const files = {
      [`${BUCKET}/${START}_own.jsonl`]: session("own"),
      [`by-variable/${START}_variable.jsonl`]: session("variable"),
      [`by-setting/${START}_setting.jsonl`]: session("setting"),
      ".pi/agent/settings.json": `{"sessionDir": "~/by-setting"}`,
    };
    const env = madeHome(files, { PI_CODING_AGENT_SESSION_DIR: "$HOME/by-variable" });
    expect(ids(env)).toEqual(["own", "setting", "variable"]);
  });

  it("include the agent folder itself, where early builds wrote, but none of its other folders", () => {
    const files = {
      [`.pi/agent/${START}_early.jsonl`]: session("early"),
      ".pi/agent/extensions/log.jsonl": session("extension"),
      ".pi/agent/settings.json": "not json",
    };
    expect(ids(madeHome(files))).toEqual(["early"]);
  });

  it("are searched for one working directory only when asked", () => {
    const files = {
      [`${BUCKET}/${START}_here.jsonl`]: session("here"),
      [`${SESSIONS}/--srv-api--/${START}_there.jsonl`]: session("there"),
      [`${SESSIONS}/${START}_flat.jsonl`]: session("flat"),
    };
    expect(ids(madeHome(files), "/home/user/dev/shop-cli")).toEqual(["flat", "here"]);
  });

  it("list a session found in two places once, the chosen directory first", () => {
    const files = {
      [`${BUCKET}/${START}_same.jsonl`]: session("same"),
      [`chosen/${START}_same.jsonl`]: session("same"),
    };
    const env = madeHome(files, { PI_CODING_AGENT_SESSION_DIR: "$HOME/chosen" });
    expect(history.listSessions(env, new ReadNotes()).map((source) => source.path)).toEqual([
      join(env.home, `chosen/${START}_same.jsonl`),
    ]);
  });

  it("are followed through a symbolic link", () => {
    const env = madeHome({ [`real/${START}_linked.jsonl`]: session("linked"), [`${SESSIONS}/.keep`]: "" });
    symlinkSync(join(env.home, "real"), join(env.home, BUCKET));
    expect(ids(env)).toEqual(["linked"]);
  });
});

describe("the documented folder layout", () => {
  const bare = (id: string, parentId: string | null, minute: number, role: string, content: string) => ({
    id,
    parentId,
    role,
    content,
    timestamp: at(minute),
    ...(role === "assistant" ? { model: "claude-sonnet-4-5", usage: { input: 10, output: 20 } } : {}),
  });
  const env = madeHome({
    [`${SESSIONS}/proj-xyz/1-main.jsonl`]: lines([
      bare("m1", null, 1, "user", "the root message"),
      bare("m2", "m1", 2, "assistant", "hello"),
      bare("m3", "m2", 5, "user", "newest branch"),
    ]),
    [`${SESSIONS}/proj-xyz/2-branch.jsonl`]: lines([
      bare("m4", "m2", 3, "user", "older branch"),
      bare("m5", "m4", 4, "assistant", "older answer"),
    ]),
    [`${SESSIONS}/with-header/session.jsonl`]: session("another-id"),
  });

  it("takes the folder's name for the session's id", () => {
    expect(ids(env)).toEqual(["proj-xyz", "with-header"]);
    expect(open(env, "with-header").head!.title).toBe("prompt of another-id");
  });

  it("follows the newest branch across the files and bills all of them", () => {
    const { head, read } = open(env, "proj-xyz");
    const reader = read()!;
    expect(head!.title).toBe("the root message");
    expect([...reader.messages()].map((message) => message.content)).toEqual([
      "the root message",
      "hello",
      "newest branch",
    ]);
    expect([...reader.usage()].map((record) => record.tokens.output)).toEqual([20, 20]);
    expect(reader.raw()).toHaveLength(5);
  });

  conformance(pi, { home: env.home, sessions: 2 });
});

describe("ids and forks", () => {
  const v1 = (id: string, more: Record<string, unknown> = {}, ...records: Record<string, unknown>[]): string =>
    lines([{ ...header(id, more), version: undefined }, ...records.map(({ id: _id, parentId: _p, ...rest }) => rest)]);
  const prompt = user("a", null, 1, "begin");
  const reply = answer("b", "a", 2, "begun", 100);
  const parentName = `${START}_0a0a0a0a-1111-4111-8111-111111111111.jsonl`;
  const env = madeHome({
    [`${BUCKET}/${parentName}`]: v1("true-parent", {}, prompt, reply),
    [`${BUCKET}/2026-11-15T10-05-00-000Z_0b0b0b0b-1111-4111-8111-111111111111.jsonl`]: v1(
      "true-child",
      { branchedFrom: `/home/user/${BUCKET}/${parentName}`, timestamp: at(5) },
      prompt,
      reply,
      answer("c", "b", 6, "and on", 200),
    ),
    [`${BUCKET}/notes.jsonl`]: session("named-freely"),
    [`${BUCKET}/${START}_release-2026.11.jsonl`]: session("release-2026.11"),
    [`${BUCKET}/${START}_orphan.jsonl`]: lines([
      header("orphan", { parentSession: "C:\\gone\\2026-11-14T10-00-00-000Z_deleted-id.jsonl", timestamp: at(3) }),
      prompt,
      reply,
    ]),
  });

  it("takes the header's id where the file name has another", () => {
    expect(ids(env)).toEqual(["named-freely", "orphan", "release-2026.11", "true-child", "true-parent"]);
  });

  it("knows the parent by its true id, or by its file name when it is gone", () => {
    expect(open(env, "true-child").head!.forkedFrom).toBe("true-parent");
    expect(open(env, "orphan").head!.forkedFrom).toBe("deleted-id");
  });

  it("marks what a fork of version 1 copied, with the parent's keys", () => {
    const child = [...open(env, "true-child").read()!.usage()];
    const parent = [...open(env, "true-parent").read()!.usage()];
    expect(child.map((record) => record.copied ?? false)).toEqual([true, false]);
    expect(child[0]!.key).toBe(parent[0]!.key);
    expect(open(env, "true-child").head!.familyKeys).toEqual(open(env, "true-parent").head!.familyKeys);
  });

  conformance(pi, { home: env.home, sessions: 5 });
});

describe("damage", () => {
  const good = session("x");
  const cases: [string, string][] = [
    ["a torn last line", `${good}{"type":"message","id":"c","parentId":"b","mess`],
    ["a line of garbage", good.replace("\n", "\n<<<<<<< HEAD\n")],
    ["NUL bytes after a crash", `${good}${"\0".repeat(512)}{broken\n`],
  ];

  it.each(cases)("reads on after %s and counts it", (_what, content) => {
    const env = madeHome({ [`${BUCKET}/${START}_x.jsonl`]: content });
    const { head, notes, read } = open(env, "x");
    expect(head!.title).toBe("prompt of x");
    expect([...read()!.messages()].map((message) => message.role)).toEqual(["user", "assistant"]);
    expect(notes.damaged.size).toBe(1);
  });

  const harmless: [string, string][] = [
    ["a byte-order mark", `\ufeff${good}`],
    ["CRLF line ends", good.replaceAll("\n", "\r\n")],
    ["blank lines", good.replaceAll("\n", "\n\n \n")],
    ["a last line without its end", good.trimEnd()],
    ["a lone surrogate", good.replace("done", "d\\ud800ne")],
    ["line separators inside a string", good.replace("done", "do\u2028ne")],
  ];

  it.each(harmless)("survives %s", (_what, content) => {
    const env = madeHome({ [`${BUCKET}/${START}_x.jsonl`]: content });
    const { head, notes, read } = open(env, "x");
    expect(head!.title).toBe("prompt of x");
    expect([...read()!.messages()].map((message) => message.role)).toEqual(["user", "assistant"]);
    expect(notes.damagedLines).toBe(0);
  });

  it("reads entries whose header is lost", () => {
    const env = madeHome({ [`${BUCKET}/${START}_x.jsonl`]: good.replace(/^.*\n/, '{"type":"sess\n') });
    expect([...open(env, "x").read()!.messages()].map((message) => message.content)).toEqual(["prompt of x", "done"]);
  });

  it("skips files without a conversation", () => {
    const env = madeHome({
      [`${BUCKET}/${START}_empty.jsonl`]: "",
      [`${BUCKET}/${START}_stub.jsonl`]: lines([
        header("stub"),
        entry("model_change", "a", null, 1, { provider: "anthropic", modelId: "claude-sonnet-4-5" }),
      ]),
    });
    for (const id of ["empty", "stub"]) {
      const { head, read } = open(env, id);
      expect(head).toBeUndefined();
      expect(read()).toBeUndefined();
    }
  });

  it.each([
    ["nothing can be read", "\u0001\u0002 no json here\n"],
    ["nothing has a known shape", '{"level":"info","msg":"a log"}\n'],
  ])("reports PARSE_ERROR for a file in which %s", (_, text) => {
    const env = madeHome({ [`${BUCKET}/${START}_x.jsonl`]: text });
    const { head, notes, read, source } = open(env, "x");
    expect(head).toBeUndefined();
    expect(notes.skipped).toEqual([{ path: source.path, reason: "holds no readable record" }]);
    expect(read).toThrow(new AgentMuxError("PARSE_ERROR", `${source.path} holds no readable record.`));
  });

  it("notes a folder in place of a file and a file that vanished", () => {
    const env = madeHome({ [`${BUCKET}/${START}_gone.jsonl`]: good });
    mkdirSync(join(env.home, BUCKET, `${START}_folder.jsonl`));
    const notes = new ReadNotes();
    const [source] = history.listSessions(env, notes);
    expect(notes.skipped.map(({ reason }) => reason)).toEqual(["is a directory"]);
    const gone = { ...source!, locator: { records: [`${source!.path}.gone`], subagents: [] } };
    expect(history.summarize(gone, env, notes)).toBeUndefined();
    expect(notes.skipped[1]!.reason).toBe("cannot be read (ENOENT)");
    expect(() => history.read(gone, env, notes)).toThrow(/cannot be read \(ENOENT\)/);
  });

  it("does not lose other folders to one that cannot be listed", () => {
    const env = madeHome({ [`${BUCKET}/${START}_x.jsonl`]: good, [`${SESSIONS}/--locked--/y`]: "" });
    const locked = join(env.home, SESSIONS, "--locked--");
    chmodSync(locked, 0);
    expect(ids(env)).toEqual(["x"]);
    chmodSync(locked, 0o700);
  });

  it("lists nothing where there is nothing", () => {
    expect(ids({ home: "/nonexistent", platform: "linux", vars: {} })).toEqual([]);
  });
});

describe("long files", () => {
  it("has the title of a question too long for the head of the file", () => {
    const question = `<file name="/big.txt">\n${"x".repeat(200_000)}\n</file>\nWhat is in there?`;
    const filler = Array.from({ length: 400 }, (_, index) =>
      answer(`f${index}`, index === 0 ? "a" : `f${index - 1}`, 2 + index, "y".repeat(1000), 1),
    );
    const name = entry("session_info", "n", "f399", 500, { name: "Big file" });
    const records = [header("long"), user("a", null, 1, question), ...filler, user("z", "f399", 450, "And now?")];
    const env = madeHome({
      [`${BUCKET}/${START}_long.jsonl`]: lines(records),
      [`${BUCKET}/${START}_named.jsonl`]: lines([...records, name]),
    });
    const { head, read } = open(env, "long");
    const { title, updatedMs, cwd } = read()!.head;
    expect(head).toMatchObject({ title: "What is in there?", updatedMs, cwd });
    expect(title).toBe("What is in there?");
    expect(open(env, "named").head!.title).toBe("Big file");
  });

  it("keeps reading a session while it grows", () => {
    const env = madeHome({ [`${BUCKET}/${START}_x.jsonl`]: session("x") });
    const { read, source } = open(env, "x");
    const reader = read()!;
    writeFileSync(source.path, lines([user("z", "b", 9, "later")]), { flag: "a" });
    expect([...reader.messages()].map((message) => message.content)).toEqual(["prompt of x", "done"]);
  });
});

describe("starting Pi again", () => {
  it("resumes and forks by id", () => {
    expect(pi.launch.resume("abc")).toEqual(["pi", "--session", "abc"]);
    expect(pi.launch.fork("abc")).toEqual(["pi", "--fork", "abc"]);
  });
});
