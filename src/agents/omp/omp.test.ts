import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { AgentEnv } from "../adapter.ts";
import { conformance } from "../../../test/support/agents/conformance.ts";
import { madeHome } from "../../../test/support/agents/made-home.ts";
import { answer, at, entry, header, lines, user } from "../../../test/support/agents/made-trees.ts";
import { listedIds, openSession, type OpenedSession } from "../../../test/support/agents/reading.ts";
import {
  checkConversation,
  checkRecorded,
  rawLines,
  scenariosOf,
  sumOf,
} from "../../../test/support/agents/recorded-trees.ts";
import omp from "./index.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const HOME = join(FIXTURES, "home");
const BUCKET = ".omp/agent/sessions/-dev-shop-cli";
const START = "2026-11-15T10-00-00-000Z";
const { history } = omp;

function session(id: string, more: Record<string, unknown> = {}): string {
  const slot = { type: "title", v: 1, title: "", updatedAt: at(0), pad: " ".repeat(170) };
  const records = [slot, header(id, more), user("a", null, 1, `prompt of ${id}`), answer("b", "a", 2, "done", 100)];
  return lines(records);
}

function ids(env: AgentEnv): string[] {
  return listedIds(history, env).sort();
}

const open = (env: AgentEnv, sessionId: string): OpenedSession => openSession(history, env, sessionId);

describe("recorded sessions", () => {
  checkRecorded(history, FIXTURES);
});

conformance(omp, { home: HOME, sessions: 18 });

describe("the recorded sub-agent", () => {
  const env: AgentEnv = { home: HOME, platform: "linux", vars: {} };
  const { sessions } = scenariosOf(FIXTURES).find(({ id }) => id === "o18-subagent")!;
  const helper = sessions.find((session) => session.subagentOf !== undefined)!;
  const owner = sessions.find((session) => session.subagentOf === undefined)!;
  const { source, read } = open(env, owner.expected.header.id);
  const reader = read()!;
  const [transcript, ...others] = reader.subagents!();
  checkConversation(helper, transcript!.messages, rawLines(FIXTURES, helper));

  it("is part of its session, named as the call that started it named it", () => {
    expect(others).toEqual([]);
    const { id, label, toolCallId, model } = transcript!;
    expect({ id, label, toolCallId, model }).toEqual({
      id: helper.expected.header.id,
      label: "CartScout",
      toolCallId: "toolu_0003zoo",
      model: "claude-sonnet-4-5",
    });
    expect(source.files.map(({ path }) => path)).toEqual([owner, helper].map(({ file }) => join(FIXTURES, file)));
  });

  it("is billed to its session, including its own calls, and marked", () => {
    const records = [...reader.usage()].filter((record) => record.subagent === helper.expected.header.id);
    const { input, output, cacheRead, cacheWrite, reasoning } = helper.expected.wholeTree.usageAll;
    const { costUsd, ...tokens } = sumOf(records);
    expect(tokens).toEqual({ input, output, cacheRead, cacheWrite, reasoning });
    expect(costUsd).toBeCloseTo(helper.expected.wholeTree.usageAll.costUsd, 9);
  });
});

describe("locations", () => {
  it("have a folder for each working directory, shortened below the home and the temporary folder", () => {
    const env: AgentEnv = { home: "/home/user", platform: "linux", vars: { TMPDIR: "/var/tmp" } };
    const bucket = (cwd: string): string =>
      history.sessionDir(env, cwd).slice("/home/user/.omp/agent/sessions/".length);
    expect(bucket("/home/user/dev/shop-cli")).toBe("-dev-shop-cli");
    expect(bucket("/home/user")).toBe("-");
    expect(bucket("/home/username/x")).toBe("--home-username-x--");
    expect(bucket("/srv/shop/backend")).toBe("--srv-shop-backend--");
    expect(bucket("/var/tmp/try/it")).toBe("-tmp-try-it");
    expect(bucket("/var/tmp")).toBe("-tmp");
  });

  it("follow the active profile", () => {
    const env: AgentEnv = { home: "/home/user", platform: "linux", vars: { OMP_PROFILE: "work" } };
    expect(history.sessionDir(env)).toBe("/home/user/.omp/profiles/work/agent/sessions");
    expect(history.sessionDir({ ...env, vars: { OMP_PROFILE: "default" } })).toBe("/home/user/.omp/agent/sessions");
  });

  it("are under XDG as soon as omp has a folder there", () => {
    const env = madeHome({ "data/omp/sessions/.keep": "" }, { XDG_DATA_HOME: "$HOME/data" });
    expect(history.sessionDir(env)).toBe(join(env.home, "data/omp/sessions"));
    const elsewhere = { ...env, vars: { XDG_DATA_HOME: "/nonexistent" } };
    expect(history.sessionDir(elsewhere)).toBe(join(env.home, ".omp/agent/sessions"));
  });

  it("are the default store, every profile, and what XDG adds", () => {
    const env = madeHome(
      {
        [`${BUCKET}/${START}_default.jsonl`]: session("default"),
        [`.omp/profiles/work/agent/sessions/-x/${START}_work.jsonl`]: session("work"),
        [`data/omp/sessions/-x/${START}_xdg.jsonl`]: session("xdg"),
        [`data/omp/profiles/lab/sessions/-x/${START}_lab.jsonl`]: session("lab"),
      },
      { XDG_DATA_HOME: "$HOME/data" },
    );
    expect(ids(env)).toEqual(["default", "lab", "work", "xdg"]);
    expect(ids({ ...env, vars: {} })).toEqual(["default", "work"]);
  });

  it("are moved by PI_CODING_AGENT_DIR and PI_CONFIG_DIR", () => {
    const files = {
      [`${BUCKET}/${START}_default.jsonl`]: session("default"),
      [`moved/sessions/-x/${START}_moved.jsonl`]: session("moved"),
      [`.omp-next/agent/sessions/-x/${START}_next.jsonl`]: session("next"),
    };
    const env = madeHome(files, { PI_CODING_AGENT_DIR: "$HOME/moved" });
    expect(ids(env)).toEqual(["moved"]);
    expect(ids({ ...env, vars: { PI_CONFIG_DIR: ".omp-next" } })).toEqual(["next"]);
  });

  it("include files in directories of the user's choice, which omp registers", () => {
    const env = madeHome({
      [`chosen/${START}_far.jsonl`]: session("far"),
      [`chosen/${START}_far/Scout.jsonl`]: session("scout"),
    });
    const register = (target: string): AgentEnv => madeHome({ ".omp/agent/custom-session-files/0a1b": `${target}\n` });
    const registered = register(join(env.home, `chosen/${START}_far.jsonl`));
    expect(ids(registered)).toEqual(["far"]);
    expect(open(registered, "far").read()!.subagents!().map(({ label }) => label)).toEqual(["Scout"]);
    expect(ids(register(join(env.home, "chosen")))).toEqual([]);
    expect(ids(register("../relative.jsonl"))).toEqual([]);
  });

  it("contain sessions under all folder names of omp, and no leftovers or artifacts", () => {
    const env = madeHome({
      [`.omp/agent/sessions/--home-user-dev--/${START}_first.jsonl`]: session("first"),
      [`.omp/agent/sessions/home-shop-${"a1".repeat(32)}/${START}_hashed.jsonl`]: session("hashed"),
      [`.omp/agent/sessions/documented-id/messages.jsonl`]: session("inner"),
      [`.omp/agent/sessions/${START}_flat.jsonl`]: session("flat"),
      [`.omp/agent/sessions/${START}_flat/Scout.jsonl`]: session("scout"),
      [`${BUCKET}/.${START}_torn.jsonl.1.tmp`]: session("torn"),
      [`${BUCKET}/.${START}_hidden.jsonl`]: session("hidden"),
      [`${BUCKET}/${START}_saved.jsonl.17.bak`]: session("saved"),
    });
    expect(ids(env)).toEqual(["documented-id", "first", "flat", "hashed"]);
  });
});

describe("sub-agents and forks", () => {
  const early = lines([
    header("early-scout", { parentSession: `/home/user/${BUCKET}/${START}_parent.jsonl`, timestamp: at(3) }),
    user("x", null, 3, "look around"),
    answer("y", "x", 3, "seen", 40),
  ]);
  const env = madeHome({
    [`${BUCKET}/${START}_parent.jsonl`]: session("parent"),
    [`${BUCKET}/${START}_parent/Scout.jsonl`]: early,
    [`${BUCKET}/${START}_parent/Scout/Deep.jsonl`]: early.replaceAll("early-scout", "deep-scout").replace("40", "50"),
    [`${BUCKET}/${START}_parent/btw.jsonl`]: "no session\n",
    [`${BUCKET}/2026-11-15T10-09-00-000Z_fork.jsonl`]: session("fork", { parentSession: "parent", timestamp: at(9) }),
    [`${BUCKET}/2026-11-15T10-09-00-000Z_fork/Scout.jsonl`]: early,
  });

  it("finds sub-agents of sub-agents and skips other files", () => {
    const { notes, read } = open(env, "parent");
    expect(read()!.subagents!().map(({ id, label }) => ({ id, label }))).toEqual([
      { id: "early-scout", label: "Scout" },
      { id: "deep-scout", label: "Scout/Deep" },
    ]);
    expect(notes.skipped.map(({ path }) => path.slice(-9))).toEqual(["btw.jsonl"]);
  });

  it("marks sub-agents copied by a fork as copies, with the keys they have in the parent", () => {
    const parent = [...open(env, "parent").read()!.usage()];
    const fork = [...open(env, "fork").read()!.usage()];
    expect(parent.map((record) => record.copied ?? false)).toEqual([false, false, false]);
    expect(fork.map((record) => record.copied)).toEqual([true, true]);
    expect(parent.map((record) => record.key)).toEqual(expect.arrayContaining(fork.map((record) => record.key)));
  });

  it("knows the parent of a fork by its id", () => {
    expect(open(env, "fork").head!.forkedFrom).toBe("parent");
  });

  conformance(omp, { home: env.home, sessions: 2 });
});

describe("the archive", () => {
  const ARCHIVE = ".omp/agent/archive/sessions/-dev-shop-cli";
  const packed = gzipSync(session("cold"));
  const env = madeHome({
    [`${ARCHIVE}/${START}_cold.jsonl.gz`]: packed,
    [`${ARCHIVE}/${START}_cold/Scout.jsonl`]: session("cold-scout"),
    [`${ARCHIVE}/${START}_torn.jsonl.gz`]: packed.subarray(0, 60),
    [`${ARCHIVE}/${START}_both.jsonl.gz`]: gzipSync(session("both")),
    [`${BUCKET}/${START}_both.jsonl`]: session("both"),
  });

  it("is read like the rest, and its sessions are marked", () => {
    const { head, read } = open(env, "cold");
    const reader = read()!;
    expect(head).toEqual(reader.head);
    expect(head).toMatchObject({ title: "prompt of cold", archived: true, updatedMs: Date.parse(at(2)) });
    expect([...reader.messages()].map((message) => message.content)).toEqual(["prompt of cold", "done"]);
    expect(reader.subagents!()).toHaveLength(1);
  });

  it("yields to a live session of the same id", () => {
    expect(open(env, "both").head!.archived).toBeUndefined();
  });

  it("reports PARSE_ERROR for a file that is cut off or not an archive", () => {
    expect(open(env, "torn").read).toThrow(/cannot be unpacked/);
    const broken = madeHome({ [`${ARCHIVE}/${START}_text.jsonl.gz`]: "plain text" });
    const { head, notes, read } = open(broken, "text");
    expect(head).toBeUndefined();
    expect(notes.skipped[0]!.reason).toBe("cannot be unpacked (Z_DATA_ERROR)");
    expect(read).toThrow(/cannot be unpacked \(Z_DATA_ERROR\)/);
  });
});

describe("entries of omp's own", () => {
  it("are all known, and hidden unless they interrupt", () => {
    const silent = ["archive", "credential_pin", "mcp_tool_selection", "mode_change", "service_tier_change"];
    const more = [...silent, "session_init", "ttsr_injection"].map((type, index) =>
      entry(type, `e${index}`, index === 0 ? "b" : `e${index - 1}`, 3),
    );
    const exit = (kind: string, reason: string) => ({ customType: "session_exit", data: { kind, reason } });
    const ends = [
      entry("custom", "x1", "e6", 4, exit("normal", "dispose")),
      entry("custom", "x2", "x1", 5, exit("signal", "sigterm")),
    ];
    const env = madeHome({ [`${BUCKET}/${START}_x.jsonl`]: session("x") + lines([...more, ...ends]) });
    const { notes, read } = open(env, "x");
    expect([...read()!.messages()].map((message) => message.content)).toEqual([
      "prompt of x",
      "done",
      "The session ended: sigterm.",
    ]);
    expect([...notes.unknownTypes]).toEqual([]);
  });
});

describe("damage", () => {
  it("leaves out a file without a conversation and one that cannot be read", () => {
    const env = madeHome({
      [`${BUCKET}/${START}_slot-only.jsonl`]: lines([{ type: "title", v: 1, title: "x", pad: "" }]),
      [`${BUCKET}/${START}_garbage.jsonl`]: "garbage\n",
      [`${BUCKET}/${START}_good.jsonl`]: session("good"),
    });
    expect(open(env, "slot-only").head).toBeUndefined();
    expect(open(env, "slot-only").read()).toBeUndefined();
    expect(open(env, "garbage").head).toBeUndefined();
    expect(open(env, "garbage").read).toThrow(/holds no readable record/);
    expect(open(env, "good").head!.title).toBe("prompt of good");
  });

  it("reads a file whose title slot was being rewritten", () => {
    const torn = session("x").replace(/^.*\n/, `{"type":"title","v":1,"ti\n`);
    const { head, notes } = open(madeHome({ [`${BUCKET}/${START}_x.jsonl`]: torn }), "x");
    expect(head!.title).toBe("prompt of x");
    expect(notes.damagedLines).toBe(1);
  });
});

describe("starting omp again", () => {
  it("resumes and forks by id", () => {
    expect(omp.launch.resume("abc")).toEqual(["omp", "--resume", "abc"]);
    expect(omp.launch.fork("abc")).toEqual(["omp", "--fork", "abc"]);
  });
});
