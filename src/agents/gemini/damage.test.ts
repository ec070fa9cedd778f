/** Damage is reported and costs only the damaged part. */
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { AgentEnv, SessionHead, SessionReader } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { madeHome, writeIn } from "../../../test/support/agents/made-home.ts";
import { listedHeads, readSoleSession, toldBy } from "../../../test/support/agents/reading.ts";
import gemini from "./index.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const ORIGINAL = "home/.gemini/tmp/shop-web/chats/session-2026-10-05T09-02-c92f2b49.jsonl";
const ID = "c92f2b49-7904-4341-941c-63a7874d04ab";

let home: string;
let env: AgentEnv;
let notes: ReadNotes;

beforeEach(() => {
  env = madeHome();
  home = env.home;
  notes = new ReadNotes();
});

const CHAT = ".gemini/tmp/shop-web/chats/session-2026-10-05T09-02-c92f2b49.jsonl";

function put(content: string | Buffer, path = CHAT): void {
  writeIn(env, path, content);
}

function fixture(name: string): Buffer {
  return readFileSync(join(FIXTURES, name));
}

const read = (): SessionReader | undefined => readSoleSession(gemini.history, env, notes);
const summarize = (): (SessionHead | undefined)[] => listedHeads(gemini.history, env, notes);

describe("a damaged chat", () => {
  for (const name of ["crlf", "bom"]) {
    it(`with ${name} reads like the original`, () => {
      put(fixture(ORIGINAL));
      const original = toldBy(read());
      put(fixture(`damaged/${name}.jsonl`));
      expect(toldBy(read())).toEqual(original);
      expect(notes.damagedLines).toBe(0);
    });
  }

  it("with garbage lines reads like the original, and the lines are counted", () => {
    put(fixture(ORIGINAL));
    const original = toldBy(read());
    put(fixture("damaged/garbage-line.jsonl"));
    expect(toldBy(read())).toEqual(original);
    expect(notes.damaged).toEqual(new Map([[join(home, CHAT), 2]]));
  });

  it("with a torn last line lacks only that record", () => {
    put(fixture("damaged/truncated-last-line.jsonl"));
    const reader = read()!;
    expect(reader.head.title).toBe("Read src/cart.js and tell me if it handles an empty list.");
    expect([...reader.usage()]).toHaveLength(6);
    expect(notes.damagedLines).toBe(0);
  });

  it("without a header takes its id from a later line and its dates from its messages", () => {
    put(fixture("damaged/header-missing.jsonl"));
    const [source] = gemini.history.listSessions(env, notes);
    expect(source!.sessionId).toBe(ID);
    const { head } = gemini.history.read(source!, env, notes)!;
    expect(head.createdMs).toBe(Date.parse("2026-10-05T09:02:32.382Z"));
    expect([...read()!.messages()]).toHaveLength(13);
  });

  it("without any id uses its file name", () => {
    put('{"id":"u","type":"user","timestamp":"2026-09-01T10:00:00Z","content":"Hi"}\n');
    expect(gemini.history.listSessions(env, notes)[0]!.sessionId).toBe("session-2026-10-05T09-02-c92f2b49");
  });

  it("that is empty is not a session", () => {
    put(fixture("damaged/empty.jsonl"));
    expect(gemini.history.listSessions(env, notes)).toEqual([]);
  });

  it("with NUL blocks and blank lines reads like the original", () => {
    put(fixture(ORIGINAL));
    const original = toldBy(read());
    const lines = fixture(ORIGINAL).toString("utf8").split("\n");
    put(lines.map((line, index) => (index % 5 === 2 ? `\n${"\0".repeat(700)}${line}` : line)).join("\n"));
    expect(toldBy(read())).toEqual(original);
  });

  it("with lone surrogates keeps them", () => {
    const header = `{"sessionId":"${ID}","projectHash":"0"}\n`;
    put(`${header}{"id":"u","type":"user","timestamp":"2026-09-01T10:00:00Z","content":"a \\ud83d b"}\n`);
    expect([...read()!.messages()][0]!.content).toBe("a \ud83d b");
    expect(summarize()[0]!.title).toContain("a ");
  });

  it("with records of unknown kinds is read on, and they are named", () => {
    put(fixture(ORIGINAL).toString("utf8") + '{"$new":1,"x":2}\n{"id":"z","type":"poem","content":""}\n');
    expect([...read()!.messages()]).toHaveLength(13);
    expect([...notes.unknownTypes.keys()]).toEqual(["$new,x", "message poem"]);
  });

  it.each([
    ["nothing can be read", "not a chat\nat all\n"],
    ["nothing has a known shape", '{"hello":"world"}\n'],
  ])("where %s is a PARSE_ERROR on reading and a skipped file in a list", (_, text) => {
    put(text);
    expect(() => read()).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }) as Error);
    expect(summarize()).toEqual([undefined]);
    expect(notes.skipped).toEqual([{ path: join(home, CHAT), reason: "holds no readable record" }]);
  });
});

describe("a damaged document", () => {
  const DOCUMENT = ".gemini/tmp/shop-web/chats/session-2026-09-04T11-00-530549be.json";
  const text = fixture("home-0.33.2/.gemini/tmp/shop-web/chats/session-2026-09-04T11-00-530549be.json").toString(
    "utf8",
  );

  it("that was cut off gives the messages before the cut", () => {
    put(text.slice(0, text.indexOf("And who wrote it?")), DOCUMENT);
    const reader = read()!;
    expect([...reader.messages()].map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect([...reader.usage()]).toHaveLength(2);
    expect(notes.damagedLines).toBe(1);
    expect(summarize()[0]).toEqual(reader.head);
  });

  it("that is longer than a list reads gives the list its ends", () => {
    const document = JSON.parse(text) as { messages: object[]; summary?: string };
    const filler = Array.from({ length: 400 }, (_, index) => ({
      ...document.messages[4]!,
      id: `x${index}`,
      content: "x".repeat(400),
    }));
    document.messages.push(...filler);
    document.summary = "A long one";
    put(JSON.stringify(document, undefined, 2), DOCUMENT);
    const [head] = summarize();
    expect(head).toMatchObject({
      title: "A long one",
      createdMs: read()!.head.createdMs,
      updatedMs: read()!.head.updatedMs,
    });
  });
});

describe("a long chat", () => {
  it("is listed from its ends as if it were read in full", () => {
    const lines = fixture(ORIGINAL).toString("utf8").trimEnd().split("\n");
    const filler = Array.from({ length: 300 }, (_, index) =>
      JSON.stringify({
        id: `f${index}`,
        type: "user",
        timestamp: "2026-10-05T12:00:00.000Z",
        content: "y".repeat(500),
      }),
    );
    put([...lines.slice(0, 27), ...filler, ...lines.slice(27)].join("\n"));
    const [head] = summarize();
    const whole = read()!.head;
    expect(head).toEqual(whole);
  });
});

describe("a damaged store", () => {
  it("with a directory in place of a chat, or an unreadable chat, keeps the others", () => {
    cpSync(join(FIXTURES, "home"), home, { recursive: true });
    const chats = join(home, ".gemini/tmp/shop-web/chats");
    mkdirSync(join(chats, "session-2026-10-20T10-00-aaaaaaaa.jsonl"));
    const before = gemini.history.listSessions(env, new ReadNotes()).length;
    chmodSync(join(chats, "session-2026-10-05T08-14-4b735126.jsonl"), 0);
    expect(gemini.history.listSessions(env, notes)).toHaveLength(before);
    expect(notes.skipped[0]).toMatchObject({ reason: "is a directory" });
    expect(summarize().filter((head) => head !== undefined).length).toBeGreaterThanOrEqual(before - 1);
  });

  it("with broken index files still lists its chats", () => {
    cpSync(join(FIXTURES, "home"), home, { recursive: true });
    rmSync(join(home, ".gemini/tmp/shop-web/.project_root"));
    for (const file of ["projects.json", "tmp/shop-web/logs.json"]) put("{ broken", `.gemini/${file}`);
    const heads = summarize().filter((head) => head !== undefined);
    expect(heads.length).toBeGreaterThan(10);
    expect(notes.skipped.map((skipped) => skipped.path)).toContain(join(home, ".gemini/projects.json"));
  });

  it("whose project file points outside is not followed there", () => {
    put(JSON.stringify({ projects: { "/x": "../../../etc", "/y": ".." } }), ".gemini/projects.json");
    for (const cwd of ["/x", "/y"]) expect(gemini.history.sessionDir(env, cwd)).toBe(join(home, ".gemini/tmp"));
  });

  it("that does not exist is empty", () => {
    expect(gemini.history.listSessions(env, notes)).toEqual([]);
    expect(notes.skipped).toEqual([]);
  });
});
