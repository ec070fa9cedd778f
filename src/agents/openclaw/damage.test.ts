/** Stores as crashes, full disks and other programs leave them. */
import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import { AgentMuxError } from "../../core/errors.ts";
import { copiedHome, madeHome } from "../../../test/support/agents/made-home.ts";
import { FIXTURES, openHome } from "../../../test/support/agents/openclaw-homes.ts";

const SESSIONS = ".openclaw/agents/main/sessions";
const DATABASE = ".openclaw/agents/main/agent/openclaw-agent.sqlite";
const OPS_SESSION = "a4d9f0f9-3e05-4b22-9370-9e396c0aaf75";
const demo = readFileSync(join(FIXTURES, "home-2026.5.7", SESSIONS, "demo-1.jsonl"), "utf8");

/** A home with one transcript of this content. */
function homeWith(content: string | Buffer, name = "demo-1.jsonl"): string {
  const home = madeHome().home;
  mkdirSync(join(home, SESSIONS), { recursive: true });
  writeFileSync(join(home, SESSIONS, name), content);
  return home;
}

function change(home: string, use: (database: InstanceType<typeof DatabaseSync>) => void): void {
  const database = new DatabaseSync(join(home, DATABASE));
  try {
    use(database);
  } finally {
    database.close();
  }
}

describe("a transcript", () => {
  it.each([
    ["with a torn last line", demo.slice(0, -1) + '\n{"type":"message","id":"x","par', 1],
    ["with CRLF, blank lines and a BOM", `\uFEFF${demo.replaceAll("\n", "\r\n\r\n")}`, 0],
    ["with a block of NUL bytes after a crash", `${demo}${"\0".repeat(512)}\n`, 0],
    ["with a line of garbage", demo.replace("\n", "\nnot json at all\n"), 1],
  ])("%s is read", (_what, content, damaged) => {
    const opened = openHome(homeWith(content));
    expect(opened.messages("demo-1").map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(opened.head("demo-1").title).toBe("What does the total command do?");
    expect(opened.notes.damaged.size > 0).toBe(damaged > 0);
  });

  it("with lone surrogates, unknown records and parents in a ring is read", () => {
    const ring = [
      {
        type: "message",
        id: "r1",
        parentId: "r2",
        timestamp: "2026-11-15T05:00:00Z",
        message: { role: "user", content: "\ud83d ring" },
      },
      { type: "hologram", id: "r2", parentId: "r1", timestamp: "2026-11-15T05:00:01Z" },
    ];
    const opened = openHome(homeWith(demo + ring.map((record) => `${JSON.stringify(record)}\n`).join("")));
    expect(opened.messages("demo-1").map(({ content }) => content)).toEqual(["\ud83d ring"]);
    expect([...opened.notes.unknownTypes.keys()]).toEqual(["hologram"]);
  });

  it.each([
    ["that is empty", ""],
    ["that holds a header only", demo.slice(0, demo.indexOf("\n") + 1)],
  ])("%s is not a session", (_what, content) => {
    const { env, notes, sources } = openHome(homeWith(content));
    expect(sources).toHaveLength(1);
    expect(openHome(env.home).head("demo-1")).toBeUndefined();
    expect(openHome(env.home).read("demo-1")).toBeUndefined();
    expect(notes.skipped).toEqual([]);
  });

  it("of garbage alone is an error to read and a note in a list", () => {
    const opened = openHome(homeWith("garbage\nmore of it\n"));
    expect(opened.head("demo-1")).toBeUndefined();
    expect(opened.notes.skipped).toHaveLength(1);
    expect(() => opened.read("demo-1")).toThrow(AgentMuxError);
  });

  it("that is a directory is noted and does not hide the others", () => {
    const home = homeWith(demo);
    mkdirSync(join(home, SESSIONS, "odd.jsonl"));
    const opened = openHome(home);
    expect(opened.ids).toEqual(["demo-1"]);
    expect(opened.notes.skipped).toEqual([{ path: join(home, SESSIONS, "odd.jsonl"), reason: "is a directory" }]);
  });
});

describe("an index", () => {
  it.each([
    ["cut off while it was rewritten", '{ "agent:main:main": { "sessi'],
    ["of another shape", "[1, 2, 3]"],
  ])("%s leaves the transcripts their names", (_what, content) => {
    const home = homeWith(demo);
    writeFileSync(join(home, SESSIONS, "sessions.json"), content);
    const opened = openHome(home);
    expect(opened.ids).toEqual(["demo-1"]);
    expect(opened.notes.skipped).toHaveLength(1);
  });

  it("with values of the wrong types is used where possible", () => {
    const home = homeWith(demo);
    const entry = {
      sessionId: "demo-1",
      label: 7,
      displayName: ["x"],
      sessionFile: 1,
      spawnedBy: {},
      archivedAt: "no",
    };
    writeFileSync(
      join(home, SESSIONS, "sessions.json"),
      JSON.stringify({ a: null, b: { sessionId: 3 }, "agent:main:c": entry }),
    );
    expect(openHome(home).head("demo-1")).toMatchObject({ title: "What does the total command do?" });
    expect(openHome(home).head("demo-1").archived).toBeUndefined();
  });

  it("cannot point outside of its directory", () => {
    const home = homeWith(demo);
    writeFileSync(join(home, "secret.jsonl"), demo);
    const entry = { sessionId: "../../../../secret", sessionFile: "../../../../secret.jsonl" };
    writeFileSync(join(home, SESSIONS, "sessions.json"), JSON.stringify({ "agent:main:evil": entry }));
    expect(openHome(home).ids).toEqual(["demo-1"]);
  });
});

describe("an archive", () => {
  const name = "124e4e03-f072-4a92-a17b-24c08f63ec31.jsonl.deleted.2026-11-15T04-00-00.000Z.3f9a.zst";
  const id = "124e4e03-f072-4a92-a17b-24c08f63ec31";
  const archive = readFileSync(join(FIXTURES, "home-archives", SESSIONS, name));

  it("that is cut off is reported as damaged or unreadable, and hides nothing else", () => {
    const home = homeWith(archive.subarray(0, archive.length - 40), name);
    writeFileSync(join(home, SESSIONS, "demo-1.jsonl"), demo);
    const opened = openHome(home);
    expect(opened.head("demo-1").title).toBe("What does the total command do?");
    expect(opened.head(id)).toBeUndefined();
    expect(opened.notes.skipped).toHaveLength(1);
  });

  it("of other bytes is an error to read", () => {
    const opened = openHome(homeWith("no zstd here", name));
    expect(opened.head(id)).toBeUndefined();
    expect(opened.notes.skipped).toHaveLength(1);
    expect(() => opened.read(id)).toThrow(AgentMuxError);
  });
});

describe("a database", () => {
  it.each([
    ["that is no database", (home: string) => writeFileSync(join(home, DATABASE), "x".repeat(4096))],
    ["that was cut off", (home: string) => truncateSync(join(home, DATABASE), 50_000)],
    ["of zero bytes", (home: string) => truncateSync(join(home, DATABASE), 0)],
  ])("%s does not hide those of other agents", (_what, damage) => {
    const home = copiedHome(join(FIXTURES, "home")).home;
    damage(home);
    expect(openHome(home).ids).toContain(OPS_SESSION);
  });

  it("without the tables of a transcript is skipped", () => {
    const home = copiedHome(join(FIXTURES, "home")).home;
    change(home, (database) => database.exec("PRAGMA foreign_keys = OFF; DROP TABLE transcript_events"));
    expect(openHome(home).ids).toEqual([OPS_SESSION]);
  });

  it("with damaged events gives the others and counts them", () => {
    const home = copiedHome(join(FIXTURES, "home")).home;
    change(home, (database) =>
      database.exec(`PRAGMA ignore_check_constraints = ON;
        UPDATE transcript_events SET event_json = '{"type":' WHERE session_id = 'demo-1' AND seq = 4;
        UPDATE transcript_events SET event_zstd = x'0102030405' WHERE event_zstd IS NOT NULL AND session_id = '786e470d-7390-4d1b-bd70-aeaeb3acdcab'`),
    );
    const opened = openHome(home);
    expect(opened.messages("demo-1").map(({ role }) => role)).toEqual(["assistant"]);
    expect(opened.messages("786e470d-7390-4d1b-bd70-aeaeb3acdcab").map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
      "user",
      "assistant",
    ]);
    expect(opened.notes.damagedLines).toBeGreaterThanOrEqual(4);
  });

  it("whose events are all damaged gives an error for that session", () => {
    const home = copiedHome(join(FIXTURES, "home")).home;
    const before = openHome(home);
    change(home, (database) =>
      database.exec("UPDATE transcript_events SET event_json = '{' WHERE session_id = 'demo-1'"),
    );
    expect(() => before.read("demo-1")).toThrow(AgentMuxError);
  });

  it("that is being written to is read with what is still in its log", () => {
    const home = copiedHome(join(FIXTURES, "home")).home;
    const owner = new DatabaseSync(join(home, DATABASE));
    try {
      owner.exec(
        "PRAGMA journal_mode = WAL; UPDATE session_nodes SET label = 'In the log' WHERE current_session_id = 'demo-1'",
      );
      expect(openHome(home).head("demo-1").title).toBe("In the log");
      owner.exec("BEGIN EXCLUSIVE; UPDATE session_nodes SET label = 'Not yet' WHERE current_session_id = 'demo-1'");
      expect(openHome(home).head("demo-1").title).toBe("In the log");
    } finally {
      owner.close();
    }
  });
});

describe("a document", () => {
  it("that is torn is an error to read and a note in a list", () => {
    const opened = openHome(join(FIXTURES, "home-documented"));
    expect(opened.head("torn")).toBeUndefined();
    expect(opened.notes.skipped[0]!.reason).toBe("is not a JSON document");
    expect(() => opened.read("torn")).toThrow(AgentMuxError);
    expect(opened.head("empty")).toBeUndefined();
    expect(opened.read("empty")).toBeUndefined();
  });
});

describe("a file that grows", () => {
  it("while it is read gives the messages it had", () => {
    const home = homeWith(demo);
    const reader = openHome(home).read("demo-1");
    appendFileSync(
      join(home, SESSIONS, "demo-1.jsonl"),
      '{"type":"message","id":"late","parentId":null,"message":{"role":"user","content":"late"}}\n',
    );
    expect([...reader.messages()]).toHaveLength(2);
  });
});
