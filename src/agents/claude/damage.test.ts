import { mkdirSync, readFileSync, symlinkSync, unlinkSync, appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome, type TempHome } from "../../../test/support/temp-home.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import claude from "./index.ts";
import { tallyOf } from "../in-memory.ts";

const { history } = claude;
const ID = "11111111-2222-4333-8444-555555555555";
const PROJECT = ".claude/projects/-home-user-dev";
const GOOD = join(
  import.meta.dirname,
  "fixtures/home/.claude/projects/-home-user-dev-shop-api/440e8a7b-801b-456d-9f9a-3915e50b86b4.jsonl",
);

/** Three records of a plain conversation. */
function conversation(extra: Record<string, unknown> = {}): string[] {
  const common = { sessionId: ID, isSidechain: false, cwd: "/home/user/dev", ...extra };
  return [
    {
      ...common,
      type: "user",
      uuid: uuid(1),
      parentUuid: null,
      timestamp: "2026-01-01T10:00:00Z",
      message: { role: "user", content: "Which routes exist?" },
    },
    {
      ...common,
      type: "assistant",
      uuid: uuid(2),
      parentUuid: uuid(1),
      timestamp: "2026-01-01T10:00:02Z",
      requestId: "req_1",
      message: {
        id: "msg_1",
        role: "assistant",
        model: "claude-opus-5",
        stop_reason: "end_turn",
        content: [{ type: "text", text: "Two." }],
        usage: { input_tokens: 5, output_tokens: 7 },
      },
    },
    {
      ...common,
      type: "user",
      uuid: uuid(3),
      parentUuid: uuid(2),
      timestamp: "2026-01-01T10:00:04Z",
      message: { role: "user", content: "And the tax rate?" },
    },
  ].map((record) => JSON.stringify(record));
}

function uuid(n: number): string {
  return `${String(n).padStart(8, "0")}-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

function look(home: TempHome) {
  const env: AgentEnv = { home: home.path, platform: "linux", vars: {} };
  const notes = new ReadNotes();
  const sources = history.listSessions(env, notes);
  const open = (index = 0) => history.read(sources[index]!, env, notes);
  const summaries = sources.map((source) => history.summarize(source, env, notes));
  return { env, notes, sources, summaries, open };
}

function texts(home: TempHome): string[] {
  return [...look(home).open()!.messages()].map((message) => message.content);
}

const WHOLE = ["Which routes exist?", "Two.", "And the tax rate?"];

describe("a damaged transcript", () => {
  it("is read up to a torn last line", () => {
    const home = tempHome();
    home.write(`${PROJECT}/${ID}.jsonl`, `${conversation().join("\n")}\n{"type":"user","mess`);
    expect(texts(home)).toEqual(WHOLE);
    const { notes, open } = look(home);
    open();
    expect(notes.damagedLines).toBe(0);
  });

  it("is read with CRLF, blank lines and a byte order mark", () => {
    const home = tempHome();
    home.write(`${PROJECT}/${ID}.jsonl`, `\ufeff${conversation().join("\r\n\r\n  \r\n")}\r\n`);
    expect(texts(home)).toEqual(WHOLE);
  });

  it("is read around NUL blocks and garbage, which are counted", () => {
    const home = tempHome();
    const [a, b, c] = conversation();
    home.write(`${PROJECT}/${ID}.jsonl`, `${a}\n${"\0".repeat(4096)}\n${b}\n\0\0\0${c}\nnot json at all\n{"half":\n`);
    expect(texts(home)).toEqual(WHOLE);
    const { notes, open } = look(home);
    open();
    expect(notes.damagedLines).toBe(2);
  });

  it("is read when a line between parent and child is gone", () => {
    const home = tempHome();
    const [a, , c] = conversation();
    home.write(`${PROJECT}/${ID}.jsonl`, `${a}\n{broken\n${c}\n`);
    expect(texts(home)).toEqual(["Which routes exist?", "And the tax rate?"]);
  });

  it("is read in the order of its lines when they carry no ids at all, as other programs write them", () => {
    const home = tempHome();
    const bare = conversation().map((line) => {
      const { uuid: _, parentUuid: __, ...record } = JSON.parse(line) as Record<string, unknown>;
      return JSON.stringify(record);
    });
    home.write(`${PROJECT}/${ID}.jsonl`, `${bare.join("\n")}\n`);
    expect(texts(home)).toEqual(WHOLE);
    const { sources, env, notes, summaries } = look(home);
    expect(summaries[0]).toMatchObject({ title: "Which routes exist?" });
    expect(tallyOf(history.read(sources[0]!, env, notes)!)).toMatchObject({ messageCount: 3, turnCount: 1 });
  });

  it.each([
    ["alone", 0],
    ["with notes behind it", 3],
  ])("is listed by its last record, however long that is (%s)", (_, notes) => {
    const home = tempHome();
    const [a, b, c] = conversation();
    const filler = Array.from({ length: 40 }, (_each, n) => a!.replace(uuid(1), uuid(100 + n)).replace("null", '"x"'));
    const long = JSON.stringify({
      ...(JSON.parse(c!) as Record<string, unknown>),
      gitBranch: "late",
      timestamp: "2026-02-02T10:00:00Z",
      toolUseResult: "x".repeat(300_000),
    });
    const behind = Array.from({ length: notes }, () => JSON.stringify({ type: "last-prompt", sessionId: ID }));
    home.write(`${PROJECT}/${ID}.jsonl`, `${[a, b, ...filler, long, ...behind].join("\n")}\n`);
    expect(look(home).summaries[0]).toMatchObject({ branch: "late", updatedMs: Date.parse("2026-02-02T10:00:00Z") });
  });

  it("is read with a line of 50 MB", () => {
    const home = tempHome();
    const [a, b, c] = conversation();
    const big = JSON.stringify({
      type: "attachment",
      uuid: uuid(9),
      parentUuid: uuid(2),
      sessionId: ID,
      attachment: { type: "file", text: "x".repeat(50 * 1024 * 1024) },
    });
    home.write(`${PROJECT}/${ID}.jsonl`, `${a}\n${b}\n${big}\n${c!.replace(uuid(2), uuid(9))}\n`);
    expect(texts(home)).toEqual(WHOLE);
    expect(look(home).summaries[0]!.title).toBe("Which routes exist?");
  });

  it("survives wrong encodings and lone surrogates", () => {
    const home = tempHome();
    const [a, b, c] = conversation();
    const latin1 = Buffer.from(a!.replace("routes", "r\u00f6utes"), "latin1");
    home.write(
      `${PROJECT}/${ID}.jsonl`,
      Buffer.concat([latin1, Buffer.from(`\n${b!.replace("Two.", String.raw`Tw\ud83do.`)}\n${c}\n`)]),
    );
    expect(texts(home)).toEqual(["Which r\ufffdutes exist?", "Tw\ud83do.", "And the tax rate?"]);
  });

  it("keeps U+2028 inside a line", () => {
    const home = tempHome();
    home.write(`${PROJECT}/${ID}.jsonl`, conversation().join("\n").replace("Two.", "Tw\u2028o."));
    expect(texts(home)[1]).toBe("Tw\u2028o.");
  });

  it("is PARSE_ERROR only when nothing at all can be read", () => {
    const home = tempHome();
    home.write(`${PROJECT}/${ID}.jsonl`, "\u0001\u0002 no record here\nnor here\n");
    const { open, summaries, notes } = look(home);
    expect(open).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }));
    expect(summaries).toEqual([undefined]);
    expect(notes.skipped[0]!.reason).toBe("holds no readable record");
  });

  it("is PARSE_ERROR when it holds JSON of no known shape", () => {
    const home = tempHome();
    home.write(`${PROJECT}/${ID}.jsonl`, '{"hello":"world"}\n{"type":"hologram","x":1}\n');
    const { open, summaries, notes } = look(home);
    expect(open).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }));
    expect(summaries).toEqual([undefined]);
    expect(notes.skipped[0]!.reason).toBe("holds no readable record");
  });

  it("counts record types it does not know and reads on", () => {
    const home = tempHome();
    const [a, b, c] = conversation();
    home.write(`${PROJECT}/${ID}.jsonl`, `${a}\n{"type":"hologram","x":1}\n${b}\n${c}\n`);
    const { notes, open } = look(home);
    expect([...open()!.messages()]).toHaveLength(3);
    expect(Object.fromEntries(notes.unknownTypes)).toEqual({ hologram: 1 });
  });
});

describe("a store with odd entries", () => {
  it("lists what it can and says what it left out", () => {
    const home = tempHome();
    home.write(`${PROJECT}/${ID}.jsonl`, `${conversation().join("\n")}\n`);
    home.write(`${PROJECT}/22222222-2222-4333-8444-555555555555.jsonl`, "");
    mkdirSync(join(home.path, PROJECT, "33333333-2222-4333-8444-555555555555.jsonl"));
    symlinkSync("loop.jsonl", join(home.path, PROJECT, "loop.jsonl"));
    symlinkSync("..", join(home.path, ".claude/projects/again"));
    const { sources, summaries, notes } = look(home);
    expect(sources.map((source) => source.sessionId).sort()).toEqual([ID, "22222222-2222-4333-8444-555555555555"]);
    expect(summaries.filter((summary) => summary !== undefined)).toHaveLength(1);
    expect(notes.skipped.map((skipped) => skipped.reason).sort()).toEqual(["cannot be read (ELOOP)", "is a directory"]);
  });

  it("reads a file that grows while it is read", () => {
    const home = tempHome();
    const [a, b, c] = conversation();
    const path = home.write(`${PROJECT}/${ID}.jsonl`, `${a}\n${b}\n`);
    const reader = look(home).open()!;
    const seen: string[] = [];
    for (const message of reader.messages()) {
      seen.push(message.content);
      if (seen.length === 1) appendFileSync(path, `${c}\n`);
    }
    expect(seen).toEqual(WHOLE.slice(0, 2));
    expect(texts(home)).toEqual(WHOLE);
  });

  it("treats a vanished file as gone", () => {
    const home = tempHome();
    const path = home.write(`${PROJECT}/${ID}.jsonl`, `${conversation().join("\n")}\n`);
    const { open, sources, env, notes } = look(home);
    unlinkSync(path);
    expect(open).toThrow(expect.objectContaining({ code: "SESSION_NOT_FOUND" }));
    expect(history.summarize(sources[0]!, env, notes)).toBeUndefined();
  });

  it("lists a session once when a copy of its file is beside it", () => {
    const home = tempHome();
    const good = readFileSync(GOOD);
    home.write(`${PROJECT}/440e8a7b-801b-456d-9f9a-3915e50b86b4.jsonl`, good);
    home.write(`${PROJECT}/backup of it.jsonl`, good);
    const { sources, notes } = look(home);
    expect(sources.map((source) => source.sessionId)).toEqual(["440e8a7b-801b-456d-9f9a-3915e50b86b4"]);
    expect(notes.skippedCount).toBe(1);
  });

  it("uses the file name as id where the documented short ids are used", () => {
    const home = tempHome();
    home.write(`${PROJECT}/a1b2c3d4.jsonl`, `${conversation({ sessionId: "a1b2c3d4" }).join("\n")}\n`);
    expect(look(home).sources.map((source) => source.sessionId)).toEqual(["a1b2c3d4"]);
  });
});

it("a sub-agent's transcript beside a missing session is reported", () => {
  const home = tempHome();
  home.write(`${PROJECT}/${ID}.jsonl`, `${conversation().join("\n")}\n`);
  const lost = home.write(
    `${PROJECT}/agent-a1b2c3.jsonl`,
    `${conversation({ sessionId: uuid(9), isSidechain: true, agentId: "a1b2c3" }).join("\n")}\n`,
  );
  const env: AgentEnv = { home: home.path, platform: "linux", vars: {} };
  const notes = new ReadNotes();
  for (const { files } of history.listSessions(env, notes)) expect(files).toHaveLength(1);
  expect(notes.skipped.map((file) => file.path)).toEqual([lost]);
});
